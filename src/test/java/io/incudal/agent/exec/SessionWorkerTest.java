package io.incudal.agent.exec;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.incudal.agent.bus.AgentException;
import io.incudal.agent.bus.ErrorCode;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What becomes of sessions that break, with real shells. */
class SessionWorkerTest {
  private static final Duration LIMIT = Duration.ofSeconds(20);
  private static final Duration SHORT = Duration.ofMillis(150);

  private final LocalShells host = new LocalShells("sh");
  private final List<Boolean> opened = new ArrayList<>();
  private final ShellKeeper keeper =
      new ShellKeeper(
          host,
          new SessionSettings(2, LIMIT, 1 << 20),
          new ToolListener() {
            @Override
            public void sessionOpened(boolean again) {
              opened.add(again);
            }
          });
  private final SessionWorker first = new SessionWorker(keeper);
  private final SessionWorker second = new SessionWorker(keeper);

  @TempDir Path directory;

  @AfterEach
  void endTheShells() {
    first.close();
    second.close();
    host.killAll();
  }

  @Test
  void opensASessionOnlyOnceItIsNeeded() {
    assertFalse(first.ready());
    assertEquals(0, host.opened.get());
    assertEquals("x\n", run(first, "echo", "x").stdout());
    assertTrue(first.ready());
    assertEquals("x\n", run(first, "echo", "x").stdout());
    assertEquals(List.of(false), opened);
  }

  @Test
  void aCommandPastItsLimitNeverFinishesLater() throws Exception {
    // B37: it would make its file after the caller has rolled back.
    Path go = directory.resolve("go");
    Path late = directory.resolve("late");
    String script = "while ! [ -e \"$1\" ]; do sleep 0.01; done; : >\"$2\"";
    var failure =
        assertThrows(
            AgentException.class,
            () -> late(first, "sh", "-c", script, "sh", go.toString(), late.toString()));
    assertEquals(ErrorCode.COMMAND_TIMEOUT, failure.code());
    assertTrue(failure.getMessage().contains("container \"local\""), failure.getMessage());
    // Whoever comes next, on whichever session, finds it dead.
    assertTrue(run(second, "true").ok());
    Files.createFile(go);
    assertTrue(run(second, "sleep", "0.1").ok());
    assertFalse(Files.exists(late));
  }

  @Test
  void endsALateCommandBeforeTheNextOneBegins() throws Exception {
    Path pid = directory.resolve("pid");
    assertThrows(
        AgentException.class,
        () -> late(first, "sh", "-c", "echo $$ >\"$1\"; sleep 60; :", "sh", pid.toString()));
    String process = Files.readString(pid).strip();
    ToolResult seen = run(second, "cat", "/proc/" + process + "/cmdline");
    assertEquals("", seen.stdout());
  }

  @Test
  void saysThatTheOutcomeIsUnknownWhenTheShellIsKilled() {
    var failure =
        assertThrows(
            AgentException.class, () -> run(first, "sh", "-c", "kill -9 $PPID; exec sleep 0.05"));
    assertEquals(ErrorCode.CONTAINER_UNAVAILABLE, failure.code());
    assertTrue(failure.getMessage().contains("outcome is unknown"), failure.getMessage());
    assertEquals("x\n", run(first, "echo", "x").stdout());
    assertEquals(List.of(false, true), opened);
  }

  @Test
  void tellsTheReasonWhenTheShellCannotBeReplaced() {
    run(first, "echo", "x");
    host.refusal =
        Optional.of(new AgentException(ErrorCode.DOCKER_UNAVAILABLE, "the engine is gone"));
    var failure =
        assertThrows(
            AgentException.class, () -> run(first, "sh", "-c", "kill -9 $PPID; exec sleep 0.05"));
    assertEquals(ErrorCode.DOCKER_UNAVAILABLE, failure.code());
    assertTrue(failure.getMessage().startsWith("the engine is gone"), failure.getMessage());
    assertTrue(failure.getMessage().contains("outcome is unknown"), failure.getMessage());
  }

  @Test
  void replacesAnIdleSessionThatBrokeWithoutTellingAnybody() throws Exception {
    run(first, "echo", "x");
    host.shells.get(0).destroyForcibly().waitFor();
    while (first.ready()) {
      Thread.onSpinWait();
    }
    assertEquals("x\n", run(first, "echo", "x").stdout());
  }

  @Test
  void knowsTheInstanceOfTheSessionOpenedLast() throws Exception {
    run(first, "echo", "x");
    assertEquals("one", first.instance());
    host.instance = "two";
    run(second, "echo", "x");
    assertEquals("two", second.instance());
    assertEquals("two", first.instance());
  }

  @Test
  void beginsNothingWhileALateCommandCannotBeEnded() throws Exception {
    assertThrows(AgentException.class, () -> late(first, "sleep", "60"));
    host.refusal = Optional.of(new AgentException(ErrorCode.DOCKER_UNAVAILABLE, "hung"));
    assertThrows(AgentException.class, second::prepare);
    assertTrue(host.shells.get(0).isAlive());
    host.refusal = Optional.empty();
    second.prepare();
    assertTrue(host.shells.get(0).waitFor(0, TimeUnit.SECONDS), "the late command's shell");
  }

  @Test
  void saysWhatTheContainerSaysWhenItHasNoShell() {
    var none = new ShellKeeper(new LocalShells("no-such-shell"), settings(), ToolListener.NONE);
    var failure = assertThrows(AgentException.class, () -> new SessionWorker(none).prepare());
    assertEquals(ErrorCode.CONTAINER_UNAVAILABLE, failure.code());
    assertTrue(failure.getMessage().contains("no-such-shell"), failure.getMessage());
  }

  private static SessionSettings settings() {
    return new SessionSettings(1, LIMIT, 1 << 20);
  }

  private static ToolResult run(SessionWorker worker, String... step) {
    worker.prepare();
    return worker.run(ToolCommand.of(LIMIT, step));
  }

  private static ToolResult late(SessionWorker worker, String... step) {
    worker.prepare();
    return worker.run(ToolCommand.of(SHORT, step));
  }
}
