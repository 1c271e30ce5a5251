package io.incudal.agent.exec;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.incudal.agent.bus.AgentException;
import io.incudal.agent.bus.ErrorCode;
import io.vertx.core.Vertx;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class LocalToolRunnerTest {
  private static final String ORPHANING = "sleep 60 & sleep 0.5; exit 0";
  private static final Duration LIMIT = Duration.ofSeconds(20);
  private static final int OUTPUT = 100_000;

  private final Vertx vertx = Vertx.vertx();
  private final ToolRunner runner =
      ToolRunners.local(vertx, new SessionSettings(2, LIMIT, OUTPUT), ToolListener.NONE);

  @TempDir Path directory;

  @AfterEach
  void close() {
    runner.close().await();
    vertx.close().await();
  }

  @Test
  void runsToolsWithoutAShell() {
    assertEquals(
        new ToolResult(0, 0, "<$HOME> <*> <> <a b>", ""),
        run("printf", "%s %s %s %s", "<$HOME>", "<*>", "<>", "<a b>"));
  }

  @Test
  void returnsBothStreamsAndTheExitCode() {
    assertEquals(
        new ToolResult(0, 3, "out\n", "err\n"), run("sh", "-c", "echo out; echo err >&2; exit 3"));
  }

  @Test
  void stopsAtTheFirstStepThatFails() {
    var steps = List.of(List.of("echo", "a"), List.of("false"), List.of("echo", "c"));
    assertEquals(
        new ToolResult(1, 1, "a\n", ""), runner.run(new ToolCommand(steps, LIMIT)).await());
  }

  @Test
  void saysThatThereIsNoSuchTool() {
    assertEquals(127, run("no-such-tool-at-all").exitCode());
  }

  @Test
  void givesToolsNoInput() {
    assertEquals("", run("cat").stdout());
  }

  @Test
  void passesUnicodeOrRefuses() {
    // Which of the two depends on the locale that the tests run in.
    var outcome = runner.run(ToolCommand.of(LIMIT, "printf", "%s", "é日😀"));
    if (System.getProperty("sun.jnu.encoding").equals("UTF-8")) {
      assertEquals("é日😀", outcome.await().stdout());
    } else {
      assertThrows(AgentException.class, outcome::await);
    }
  }

  @Test
  void endsALateCommandWithAllThatItStarted() throws Exception {
    // B37.
    Path go = directory.resolve("go");
    Path late = directory.resolve("late");
    String script =
        "(while ! [ -e \"$1\" ]; do sleep 0.01; done; : >\"$2\") & sleep 60 & sleep 60; :";
    var command =
        ToolCommand.of(Duration.ofMillis(150), "sh", "-c", script, "sh", "" + go, "" + late);
    var failure = assertThrows(AgentException.class, () -> runner.run(command).await());
    assertEquals(ErrorCode.COMMAND_TIMEOUT, failure.code());
    assertTrue(run("true").ok());
    Files.createFile(go);
    assertTrue(run("sleep", "0.1").ok());
    assertFalse(Files.exists(late));
  }

  /** The tool lives for a moment: Java closes the output of one that ends before it is read. */
  @Test
  void endsAnOrphanThatHoldsTheOutputOpen() {
    var failure =
        assertThrows(
            AgentException.class,
            () -> runner.run(ToolCommand.of(Duration.ofSeconds(1), "sh", "-c", ORPHANING)).await());
    assertEquals(ErrorCode.COMMAND_TIMEOUT, failure.code());
    assertEquals("x\n", run("echo", "x").stdout());
  }

  @Test
  void failsClearlyWhenAToolPrintsWithoutEnd() {
    var failure = assertThrows(AgentException.class, () -> run("seq", "100000"));
    assertEquals(ErrorCode.COMMAND_FAILED, failure.code());
  }

  @Test
  void isTheSameInstanceUntilTheMachineRestarts() throws Exception {
    String boot = Files.readString(Path.of("/proc/sys/kernel/random/boot_id")).strip();
    assertTrue(runner.instance().await().contains(boot));
  }

  private ToolResult run(String... step) {
    return runner.run(ToolCommand.of(LIMIT, step)).await();
  }
}
