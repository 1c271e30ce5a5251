package io.incudal.agent.scan;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.incudal.agent.bus.Addresses;
import io.incudal.agent.bus.AgentException;
import io.incudal.agent.bus.AgentMessage;
import io.incudal.agent.bus.Bus;
import io.incudal.agent.bus.Caller;
import io.incudal.agent.bus.ErrorCode;
import io.incudal.agent.lun.LunMessages.BackendChanged;
import io.incudal.agent.lun.LunMessages.BackendChecked;
import io.incudal.agent.lun.LunMessages.BackendOpened;
import io.incudal.agent.lun.LunMessages.BackendView;
import io.incudal.agent.lun.LunMessages.Command;
import io.incudal.agent.lun.LunMessages.OpenBackend;
import io.incudal.agent.lun.LunMessages.Scan;
import io.incudal.agent.lun.LunMessages.Scanned;
import io.incudal.agent.lun.LunMessages.Watch;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.junit5.VertxExtension;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

@ExtendWith(VertxExtension.class)
class AutoScanVerticleTest {
  private static final Duration NEVER = Duration.ofHours(1);
  private static final Duration SOON = Duration.ofMillis(2);

  private final BlockingQueue<String> asked = new LinkedBlockingQueue<>();
  private volatile boolean reachable = true;
  private volatile boolean same = true;
  private volatile boolean needsScan = true;
  private volatile boolean scanWorks = true;
  private Vertx vertx;
  private Bus bus;

  @BeforeEach
  void serve(Vertx vertx) {
    this.vertx = vertx;
    bus = Bus.install(vertx);
    bus.serve(Addresses.LUN_BACKEND, Watch.class, this::watch);
    bus.serve(Addresses.LUN_COMMAND, Command.class, this::scan);
  }

  @Test
  void opensThenScansOnItsOwnAccount() throws InterruptedException {
    deploy(new Pace(NEVER, SOON, SOON));
    assertEquals(List.of("open", "scan"), next(2));
    assertEquals(List.of(), rest());
  }

  @Test
  void scansNothingWhenNothingIsMissing() throws InterruptedException {
    needsScan = false;
    deploy(new Pace(SOON, SOON, SOON));
    assertEquals(List.of("open", "check", "check"), next(3));
  }

  /** B58: the back end comes late; it is waited for, and brought back once. */
  @Test
  void triesUntilTheBackEndComes() throws InterruptedException {
    reachable = false;
    deploy(new Pace(NEVER, SOON, SOON));
    assertEquals(List.of("open", "open", "open"), next(3));
    reachable = true;
    assertEquals("scan", nextBut("open"));
    assertEquals(List.of(), rest());
  }

  @Test
  void triesAgainWhenTheScanFails() throws InterruptedException {
    scanWorks = false;
    deploy(new Pace(NEVER, SOON, SOON));
    assertEquals(List.of("open", "scan", "open", "scan"), next(4));
    scanWorks = true;
    while (asked.poll(100, TimeUnit.MILLISECONDS) != null) {
      // What it asked before it heard of the success.
      continue;
    }
    assertEquals(List.of(), rest());
  }

  /** B08: the daemon was started anew. */
  @Test
  void bringsTargetsBackWhenTheDaemonIsAnotherOne() throws InterruptedException {
    deploy(new Pace(SOON, SOON, SOON));
    assertEquals(List.of("open", "scan", "check"), next(3));
    same = false;
    assertEquals("open", nextBut("check"));
    same = true;
    assertEquals("scan", nextBut("open"));
  }

  @Test
  void onlyChecksAgainAfterABackEndWasAway() throws InterruptedException {
    deploy(new Pace(SOON, SOON, SOON));
    assertEquals(List.of("open", "scan", "check"), next(3));
    reachable = false;
    assertEquals(List.of("check", "check"), next(2));
    reachable = true;
    assertEquals(List.of("check", "check", "check"), next(3));
  }

  @Test
  void looksAtOnceWhenItHearsOfTrouble() throws InterruptedException {
    deploy(new Pace(NEVER, SOON, SOON));
    assertEquals(List.of("open", "scan"), next(2));
    assertEquals(List.of(), rest());
    var lost = new BackendView(true, false, OptionalInt.of(1), Optional.empty());
    bus.publish(Addresses.EVENT_BACKEND, new BackendChanged(lost));
    assertEquals(List.of("check"), next(1));
  }

  @Test
  void asksNothingMoreOnceStopped() throws InterruptedException {
    String id = deploy(new Pace(SOON, SOON, SOON));
    next(3);
    vertx.undeploy(id).await();
    asked.clear();
    assertEquals(List.of(), rest());
  }

  @Test
  void waitsLongerAfterEachFailureUpToALimit() {
    Pace pace = new Pace(NEVER, Duration.ofMillis(100), Duration.ofSeconds(1));
    assertBetween(80, 100, pace.untilRetry());
    assertBetween(160, 200, pace.untilRetry());
    assertBetween(320, 400, pace.untilRetry());
    for (int i = 0; i < 100; i++) {
      pace.untilRetry();
    }
    assertBetween(800, 1000, pace.untilRetry());
    pace.succeeded();
    assertBetween(80, 100, pace.untilRetry());
  }

  private static void assertBetween(long from, long to, Duration actual) {
    assertTrue(actual.toMillis() >= from && actual.toMillis() <= to, actual.toString());
  }

  private String deploy(Pace pace) {
    return vertx.deployVerticle(new AutoScanVerticle(bus, pace)).await();
  }

  private Future<? extends AgentMessage> watch(Watch<?> watch) {
    boolean opening = watch instanceof OpenBackend;
    asked.add(opening ? "open" : "check");
    if (!reachable) {
      return Future.failedFuture(new AgentException(ErrorCode.CONTAINER_UNAVAILABLE, "it is down"));
    }
    return Future.succeededFuture(
        opening ? new BackendOpened(needsScan) : new BackendChecked(same));
  }

  private Future<? extends AgentMessage> scan(Command<?> command) {
    asked.add(command.equals(new Scan(Caller.LOCAL, true)) ? "scan" : command.toString());
    return scanWorks
        ? Future.succeededFuture(new Scanned(List.of(), List.of(), List.of()))
        : Future.failedFuture(new AgentException(ErrorCode.IO_ERROR, "no directory"));
  }

  private List<String> next(int count) throws InterruptedException {
    List<String> next = new ArrayList<>();
    while (next.size() < count) {
      String one = asked.poll(5, TimeUnit.SECONDS);
      next.add(one == null ? "nothing" : one);
    }
    return next;
  }

  private String nextBut(String other) throws InterruptedException {
    String one = asked.poll(5, TimeUnit.SECONDS);
    while (other.equals(one)) {
      one = asked.poll(5, TimeUnit.SECONDS);
    }
    return one;
  }

  /** What is asked in the next moment. */
  private List<String> rest() throws InterruptedException {
    String one = asked.poll(60, TimeUnit.MILLISECONDS);
    return one == null ? List.of() : List.of(one);
  }
}
