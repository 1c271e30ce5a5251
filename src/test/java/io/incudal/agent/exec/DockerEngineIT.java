package io.incudal.agent.exec;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.incudal.agent.bus.AgentException;
import io.incudal.agent.bus.ErrorCode;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Sessions through a real Docker engine that hangs, dies and comes back. */
class DockerEngineIT {
  private static final Duration LIMIT = Duration.ofSeconds(30);
  private static final Duration SHORT = Duration.ofMillis(500);
  private static final Duration OPEN = Duration.ofSeconds(5);

  private static PrivateEngine engine;

  private final Vertx vertx = Vertx.vertx();
  private ToolRunner runner;

  @BeforeAll
  static void startEngine() {
    engine = new PrivateEngine();
    // The first use of docker-java loads its classes, which takes seconds on a busy machine.
    var host = new DockerContainer(engine.address(), PrivateEngine.CONTAINER, 1);
    ToolSession.open(host, Duration.ofMinutes(1), 1024).close();
    host.close();
  }

  @AfterAll
  static void stopEngine() throws Exception {
    engine.close();
  }

  @BeforeEach
  void openRunner() {
    runner = runner(engine.address(), OPEN);
  }

  @AfterEach
  void closeRunner() throws Exception {
    runner.close().await();
    vertx.close().await();
    Eventually.holds("no thread is left", () -> threads() == 0);
  }

  @Test
  void endsEveryCallInTimeWhileTheEngineHangs() throws Exception {
    // B32.
    run("true");
    Eventually.holds("all is quiet", () -> threads() <= 3 * 3);
    int files = Eventually.files();
    var impatient = runner(engine.address(), Duration.ofMillis(100));
    engine.signal("STOP");
    try {
      long begun = System.nanoTime();
      for (int i = 0; i < 100; i++) {
        Future<ToolResult> call = impatient.run(ToolCommand.of(SHORT, "true"));
        assertEquals(
            ErrorCode.DOCKER_UNAVAILABLE, assertThrows(AgentException.class, call::await).code());
      }
      assertTrue(System.nanoTime() - begun < 100 * 300_000_000L, "not in time");
      Eventually.holds("descriptors are back", () -> Eventually.files() <= files + 5);
      Eventually.holds("threads are back", () -> threads() <= 3 * 3 + 3 + 6);
    } finally {
      engine.signal("CONT");
      impatient.close().await();
    }
    assertTrue(run("true").ok());
  }

  @Test
  void owesTheEndOfACommandWhileTheEngineHangs() throws Exception {
    // B37.
    run("true");
    Future<ToolResult> late =
        runner.run(ToolCommand.of(SHORT, "sh", "-c", "sleep 60; : >/tmp/late"));
    Eventually.holds("it runs", () -> sleeping() == 1);
    engine.signal("STOP");
    try {
      assertEquals(
          ErrorCode.COMMAND_TIMEOUT, assertThrows(AgentException.class, late::await).code());
      Future<ToolResult> next = runner.run(ToolCommand.of(SHORT, "true"));
      assertThrows(AgentException.class, next::await);
    } finally {
      engine.signal("CONT");
    }
    // The next command finds it dead.
    assertTrue(run("true").ok());
    assertEquals(0, sleeping());
  }

  @Test
  void tellsThatTheOutcomeIsUnknownWhenTheEngineIsKilledAndGoesOnWhenItIsBack() throws Exception {
    run("true");
    Future<ToolResult> cut = runner.run(ToolCommand.of(LIMIT, "sleep", "60"));
    Eventually.holds("it runs", () -> sleeping() == 1);
    engine.kill();
    try {
      var failure = assertThrows(AgentException.class, cut::await);
      assertEquals(ErrorCode.DOCKER_UNAVAILABLE, failure.code(), failure.getMessage());
      assertTrue(failure.getMessage().contains("outcome is unknown"), failure.getMessage());
      // B39: the socket's file is still there.
      Future<ToolResult> next = runner.run(ToolCommand.of(LIMIT, "true"));
      assertTrue(
          assertThrows(AgentException.class, next::await)
              .getMessage()
              .contains("mount its directory"));
    } finally {
      engine.revive();
    }
    assertTrue(run("true").ok());
    assertEquals(0, sleeping(), "what the killed engine left running was ended");
  }

  @Test
  void reconnectsByItselfThroughTheSocketsDirectory() {
    // B39; the directory is reached by another path, as a mounted one is.
    String before = runner.instance().await();
    engine.kill();
    Future<ToolResult> meanwhile = runner.run(ToolCommand.of(LIMIT, "true"));
    assertEquals(
        ErrorCode.DOCKER_UNAVAILABLE, assertThrows(AgentException.class, meanwhile::await).code());
    engine.revive();
    assertTrue(run("true").ok());
    assertEquals(before, runner.instance().await(), "the container was not restarted");
  }

  @Test
  void startsBeforeTheEngine() throws Exception {
    // B39.
    Path link = engine.directory().resolve("late.sock");
    var early = runner(URI.create("unix://" + link), OPEN);
    try {
      Future<ToolResult> call = early.run(ToolCommand.of(LIMIT, "true"));
      assertTrue(
          assertThrows(AgentException.class, call::await).getMessage().contains("no such socket"));
      Files.createSymbolicLink(link, Path.of(engine.address().getPath()));
      assertTrue(early.run(ToolCommand.of(LIMIT, "true")).await().ok());
    } finally {
      early.close().await();
    }
  }

  @Test
  void servesManyAtOnceAfterTheEngineCameBack() {
    run("true");
    engine.kill();
    engine.revive();
    List<Future<ToolResult>> all = new ArrayList<>();
    for (int i = 0; i < 64; i++) {
      all.add(runner.run(ToolCommand.of(LIMIT, "echo", "" + i)));
    }
    for (int i = 0; i < all.size(); i++) {
      assertEquals(i + "\n", all.get(i).await().stdout());
    }
  }

  @Test
  void saysThatTheContainerWasRemoved() {
    // B42.
    engine.container("removed", "no", "sleep inf").orFail();
    var brief = runner("removed");
    try {
      assertTrue(brief.run(ToolCommand.of(LIMIT, "true")).await().ok());
      engine.docker("rm", "-f", "removed").orFail();
      var failure = failure(brief.run(ToolCommand.of(LIMIT, "true")));
      assertEquals(ErrorCode.CONTAINER_UNAVAILABLE, failure.code());
      assertTrue(failure.getMessage().contains("does not exist"), failure.getMessage());
      engine.container("removed", "no", "sleep inf").orFail();
      assertTrue(brief.run(ToolCommand.of(LIMIT, "true")).await().ok());
    } finally {
      brief.close().await();
      engine.docker("rm", "-f", "removed");
    }
  }

  @Test
  void neverBlamesAnythingElseForAContainerThatRestartsForEver() {
    // B42.
    engine.container("looping", "always", "sleep 0.2").orFail();
    var looping = runner("looping");
    try {
      for (int i = 0; i < 15; i++) {
        var failure = failure(looping.run(ToolCommand.of(LIMIT, "sleep", "20")));
        assertEquals(ErrorCode.CONTAINER_UNAVAILABLE, failure.code(), failure.getMessage());
      }
    } finally {
      looping.close().await();
      engine.docker("rm", "-f", "looping");
    }
  }

  private ToolRunner runner(String container) {
    var host = new DockerContainer(engine.address(), container, 6);
    return ToolRunners.shells(
        vertx, host, new SessionSettings(1, OPEN, 1 << 20), ToolListener.NONE);
  }

  private static AgentException failure(Future<?> call) {
    return assertThrows(AgentException.class, call::await);
  }

  private ToolRunner runner(URI address, Duration open) {
    var host = new DockerContainer(address, PrivateEngine.CONTAINER, 6);
    var settings = new SessionSettings(3, open, 16 << 20);
    return ToolRunners.shells(vertx, host, settings, ToolListener.NONE);
  }

  private ToolResult run(String line) {
    return runner.run(ToolCommand.of(LIMIT, line.split(" "))).await();
  }

  /** Sleeps that a session has started; the container's own one is not counted. */
  private static long sleeping() {
    return engine
        .docker(
            "exec",
            PrivateEngine.CONTAINER,
            "sh",
            "-c",
            "grep -las INCUDAL_SESSION /proc/[0-9]*/environ | sed 's/environ/cmdline/' | xargs -r"
                + " grep -las '^sleep' ; :")
        .text()
        .lines()
        .count();
  }

  private static long threads() {
    return Thread.getAllStackTraces().keySet().stream()
        .filter(thread -> thread.getName().matches("tool-.*|docker-java.*|docker-call.*"))
        .count();
  }
}
