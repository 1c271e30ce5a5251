package io.incudal.agent.lab;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** {@code scripts/lab stgt} on a machine that others use as well: nothing of it may stay behind. */
class LabScriptIT {
  private static final Path STATE = Path.of("/var/lib/incudal-lab");

  private final String name = "script-" + UUID.randomUUID().toString().substring(0, 8);
  private final Path state = STATE.resolve("stgt-" + name);

  @AfterEach
  void down() {
    lab("down");
  }

  @Test
  void secondUpChangesNothing() {
    lab("up").orFail();
    String settings = lab("env").orFail();
    assertTrue(lab("up").orFail().contains("up already"));
    assertEquals(settings, lab("env").orFail());
    assertTrue(lab("status").ok());
  }

  @Test
  void downLeavesNothingOfLabWhoseEngineWasKilled() throws IOException {
    lab("up").orFail();
    String engine = Files.readString(state.resolve("engine.process")).split(" ")[0];
    Cli.run("kill", "-KILL", engine).orFail();
    assertFalse(lab("status").ok());
    lab("down").orFail();
    assertFalse(Files.exists(state));
    assertEquals(List.of(), namedAfterLab(Files.readAllLines(Path.of("/proc/self/mountinfo"))));
    assertEquals(List.of(), namedAfterLab(Cli.run("losetup", "-a").orFail().lines().toList()));
    assertEquals(List.of(), namedAfterLab(processes()));
  }

  @Test
  void downEndsNothingWhenPidBelongsToAnotherProcess() throws IOException {
    Process other = new ProcessBuilder("sleep", "60").start();
    try {
      Files.createDirectories(state);
      Path boot = Path.of("/proc/sys/kernel/random/boot_id");
      String record = other.pid() + " 1 " + Files.readString(boot);
      Files.writeString(state.resolve("engine.process"), record);
      lab("down").orFail();
      assertTrue(other.isAlive());
    } finally {
      other.destroyForcibly();
    }
  }

  private List<String> namedAfterLab(List<String> lines) {
    return lines.stream().filter(line -> line.contains(name)).toList();
  }

  private static List<String> processes() {
    return ProcessHandle.allProcesses()
        .map(process -> process.info().commandLine().orElse(""))
        .toList();
  }

  private Cli.Output lab(String command) {
    return Cli.run(
        "env",
        "-u",
        "INCUDAL_LAB_DOCKER_HOST",
        "INCUDAL_LAB_STATE=" + STATE,
        "INCUDAL_LAB_NAME=" + name,
        "scripts/lab",
        "stgt",
        command);
  }
}
