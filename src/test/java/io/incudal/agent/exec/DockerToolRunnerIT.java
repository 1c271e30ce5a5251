package io.incudal.agent.exec;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.incudal.agent.bus.AgentException;
import io.incudal.agent.bus.ErrorCode;
import io.incudal.agent.lab.Lab;
import io.incudal.agent.lab.LabExtension;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Sessions into a real container that is stopped, paused and restarted under them. */
@ExtendWith(LabExtension.class)
class DockerToolRunnerIT {
  private static final Duration LIMIT = Duration.ofSeconds(30);
  private static final Duration SHORT = Duration.ofSeconds(1);
  private static final String SHOW = "tgtadm --lld iscsi --mode target --op show";

  private final Lab lab;
  private final Vertx vertx = Vertx.vertx();
  private ToolRunner runner;

  DockerToolRunnerIT(Lab lab) {
    this.lab = lab;
  }

  @BeforeEach
  void openRunner() {
    runner = runner(lab.container());
  }

  @AfterEach
  void closeRunner() throws Exception {
    runner.close().await();
    vertx.close().await();
    Eventually.holds("no shell is left in the container", () -> sessions().isEmpty());
    Eventually.holds("no thread is left", () -> threads().isEmpty());
  }

  @Test
  void runsTheToolsOfTheContainer() {
    assertEquals(new ToolResult(0, 0, "", ""), run(SHOW));
    ToolResult refused = run("tgtadm --lld iscsi --mode target --op delete --tid 77");
    assertEquals(new ToolResult(0, 22, "", "tgtadm: can't find the target\n"), refused);
  }

  @Test
  void mixesNothingUpAmongManyCommandsAtOnce() {
    var random = new Random(7);
    List<String> texts = new ArrayList<>();
    List<Future<ToolResult>> all = new ArrayList<>();
    for (int i = 0; i < 300; i++) {
      int size = random.nextInt(20) == 0 ? 100_000 : random.nextInt(3000);
      String text = "é" + i + "\n" + "x$(id)'\"".repeat(size / 8);
      texts.add(text);
      all.add(
          runner.run(
              ToolCommand.of(
                  LIMIT,
                  "sh",
                  "-c",
                  "printf '%s\\n' \"$@\"; printf %s \"$3\" >&2; exit 9",
                  "sh",
                  text.substring(0, text.indexOf('\n')),
                  tail(text),
                  "" + i)));
    }
    for (int i = 0; i < all.size(); i++) {
      ToolResult result = all.get(i).await();
      assertEquals(9, result.exitCode());
      assertEquals(texts.get(i) + "\n" + i + "\n", result.stdout());
      assertEquals("" + i, result.stderr());
    }
  }

  @Test
  void aCommandPastItsLimitIsDeadInTheContainer() {
    // B37.
    lab.exec("rm", "-f", "/tmp/go", "/tmp/late");
    String script = "while ! [ -e /tmp/go ]; do sleep 0.1; done; : >/tmp/late";
    assertEquals(ErrorCode.COMMAND_TIMEOUT, failure(SHORT, "sh", "-c", script).code());
    run("touch /tmp/go");
    run("sleep 0.3");
    assertFalse(lab.exec("test", "-e", "/tmp/late").ok());
  }

  @Test
  void endsALateCommandByItselfWhenNothingElseIsAsked() throws Exception {
    failure(SHORT, "sleep", "60");
    Eventually.holds("the process is gone", () -> running("sleep").isEmpty());
  }

  @Test
  void findsOutWithinItsLimitThatTheDaemonHangs() {
    lab.signalDaemon("STOP");
    try {
      long begun = System.nanoTime();
      var failure = failure(SHORT, SHOW.split(" "));
      assertEquals(ErrorCode.COMMAND_TIMEOUT, failure.code());
      assertTrue(System.nanoTime() - begun < 3_000_000_000L);
    } finally {
      lab.signalDaemon("CONT");
    }
    assertTrue(run(SHOW).ok());
  }

  @Test
  void saysThatTheOutcomeIsUnknownWhenItsShellIsKilled() {
    var failure = failure(LIMIT, "sh", "-c", "kill -9 $PPID; exec sleep 1");
    assertEquals(ErrorCode.CONTAINER_UNAVAILABLE, failure.code());
    assertTrue(failure.getMessage().contains("outcome is unknown"), failure.getMessage());
    assertTrue(run(SHOW).ok());
  }

  @Test
  void followsTheContainerThroughARestart() {
    String before = runner.instance().await();
    assertEquals(before, runner.instance().await());
    run(SHOW);
    lab.stop();
    // B42.
    var failure = failure(LIMIT, SHOW.split(" "));
    assertEquals(ErrorCode.CONTAINER_UNAVAILABLE, failure.code());
    assertTrue(failure.getMessage().contains("docker start " + lab.container()));
    lab.start();
    assertTrue(run(SHOW).ok());
    assertNotEquals(before, runner.instance().await());
  }

  @Test
  void cutsARunningCommandWhenTheContainerStops() throws Exception {
    run("true");
    Future<ToolResult> cut = runner.run(ToolCommand.of(LIMIT, "sleep", "60"));
    Eventually.holds("it runs", () -> !running("sleep").isEmpty());
    lab.stop();
    try {
      var failure = assertThrows(AgentException.class, cut::await);
      assertEquals(ErrorCode.CONTAINER_UNAVAILABLE, failure.code());
      assertTrue(failure.getMessage().contains("outcome is unknown"), failure.getMessage());
    } finally {
      lab.start();
    }
  }

  @Test
  void saysThatTheContainerIsPausedAndGoesOnAfterwards() {
    run(SHOW);
    lab.pause();
    try {
      // B42: a session that stands open gets no answer; one that is to be opened is told why.
      var failure = failure(SHORT, SHOW.split(" "));
      for (int i = 0; i < 3 && failure.code() == ErrorCode.COMMAND_TIMEOUT; i++) {
        failure = failure(SHORT, SHOW.split(" "));
      }
      assertEquals(ErrorCode.CONTAINER_UNAVAILABLE, failure.code(), failure.getMessage());
      assertTrue(failure.getMessage().contains("docker unpause"), failure.getMessage());
    } finally {
      lab.unpause();
    }
    assertTrue(run(SHOW).ok());
  }

  @Test
  void doesNotTakeAContainerOfAnotherName() {
    // Docker's own name filter would take the beginning of a name.
    String beginning = lab.container().substring(0, lab.container().length() - 1);
    ToolRunner other = runner(beginning);
    try {
      var failure =
          assertThrows(
              AgentException.class, () -> other.run(ToolCommand.of(LIMIT, "true")).await());
      assertEquals(ErrorCode.CONTAINER_UNAVAILABLE, failure.code());
      assertTrue(failure.getMessage().contains("does not exist"), failure.getMessage());
    } finally {
      other.close().await();
    }
  }

  @Test
  void leavesNothingBehindOfManyLostSessions() throws Exception {
    run("true");
    int files = Eventually.files();
    for (int i = 0; i < 20; i++) {
      failure(Duration.ofMillis(50), "sleep", "60");
    }
    run("true");
    Eventually.holds("the processes are gone", () -> running("sleep").isEmpty());
    Eventually.holds("descriptors are back", () -> Eventually.files() <= files + 5);
    Eventually.holds("shells are ended", () -> sessions().size() <= 3);
  }

  private ToolRunner runner(String container) {
    var settings = new SessionSettings(3, LIMIT, 16 << 20);
    var host = new DockerContainer(URI.create(lab.settings().get("DOCKER_HOST")), container, 6);
    return ToolRunners.shells(vertx, host, settings, ToolListener.NONE);
  }

  private ToolResult run(String line) {
    return runner.run(ToolCommand.of(LIMIT, line.split(" "))).await();
  }

  private AgentException failure(Duration limit, String... step) {
    return assertThrows(
        AgentException.class, () -> runner.run(ToolCommand.of(limit, step)).await());
  }

  private static String tail(String text) {
    return text.substring(text.indexOf('\n') + 1);
  }

  /** Process ids of a program that runs in the container. */
  private String running(String program) {
    return lab.exec(
            "sh",
            "-c",
            "for p in /proc/[0-9]*; do read -r name 2>/dev/null <$p/comm || continue;"
                + " read -r stat 2>/dev/null <$p/stat || continue;"
                + " case $stat in *') Z '*) continue ;; esac;"
                + " [ \"$name\" != \"$1\" ] || echo \"${p#/proc/}\"; done",
            "sh",
            program)
        .text()
        .strip();
  }

  /** Process ids of the shells of sessions. */
  private List<String> sessions() {
    return lab.exec("sh", "-c", "grep -las 'INCUDAL_SESSION=' /proc/[0-9]*/environ; :")
        .text()
        .lines()
        .toList();
  }

  private static List<String> threads() {
    return Thread.getAllStackTraces().keySet().stream()
        .map(Thread::getName)
        .filter(name -> name.matches("tool-.*|docker-java.*|docker-call.*"))
        .toList();
  }
}
