package io.incudal.agent.lab;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** {@code scripts/lab lio}, beside the one that the other tests use: nothing of it stays behind. */
@Tag("lio")
class LioLabScriptIT {
  private static final Path STATE = Path.of("/var/lib/incudal-lab");

  private final String name = "script-" + UUID.randomUUID().toString().substring(0, 8);
  private final Path state = STATE.resolve("lio-" + name);

  @AfterEach
  void down() {
    lab("down");
  }

  @Test
  void startsInTimeAndLeavesNothingWhenItIsKilled() throws IOException {
    long begin = System.nanoTime();
    lab("up").orFail();
    assertTrue(System.nanoTime() - begin < 60_000_000_000L, "more than 60 s from the cache");
    assertTrue(lab("status").ok());
    String first = Files.readString(state.resolve("hold.process")).split(" ")[0];
    Cli.run("kill", "-KILL", first).orFail();
    assertFalse(lab("status").ok());
    lab("down").orFail();
    assertFalse(Files.exists(state));
    assertEquals(List.of(), namedAfterLab(Files.readAllLines(Path.of("/proc/self/mountinfo"))));
    assertEquals(List.of(), namedAfterLab(Cli.run("losetup", "-a").orFail().lines().toList()));
    assertEquals(List.of(), namedAfterLab(processes()));
  }

  @Test
  void rebootsAnotherKernelOnTheSameImages() throws IOException {
    lab("up").orFail();
    String settings = lab("env").orFail();
    Files.writeString(state.resolve("images/kept"), "kept");
    String before = bootId();
    lab("reboot").orFail();
    assertNotEquals(before, bootId());
    assertEquals(settings, lab("env").orFail());
    assertEquals("kept", inContainer("cat", state.resolve("images/kept").toString()));
  }

  private String bootId() {
    return inContainer("cat", "/proc/sys/kernel/random/boot_id");
  }

  private String inContainer(String program, String argument) {
    String engine = "unix://" + state.resolve("docker.sock");
    return Cli.run("docker", "-H", engine, "exec", "lio", program, argument).orFail();
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
        "INCUDAL_LAB_STATE=" + STATE,
        "INCUDAL_LAB_NAME=" + name,
        "scripts/lab",
        "lio",
        command);
  }
}
