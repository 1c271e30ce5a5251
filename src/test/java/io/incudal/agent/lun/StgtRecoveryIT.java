package io.incudal.agent.lun;

import static io.incudal.agent.lun.LunRoom.failure;
import static io.incudal.agent.lun.LunRoom.iqn;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.incudal.agent.bus.AgentException;
import io.incudal.agent.bus.ErrorCode;
import io.incudal.agent.lab.Lab;
import io.incudal.agent.lab.LabExtension;
import io.incudal.agent.lun.LunMessages.TargetView;
import io.incudal.agent.scan.AutoScanVerticle;
import io.vertx.core.Vertx;
import io.vertx.junit5.VertxExtension;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** The back end goes, comes back and loses its targets, and nobody helps. */
@ExtendWith({VertxExtension.class, LabExtension.class})
class StgtRecoveryIT {
  private static final Set<String> BOTH = Set.of(iqn("a"), iqn("b"));
  private static final int IN_TIME_SECONDS = 15;

  private final Lab lab;
  private Vertx vertx;
  private LunRoom room;

  StgtRecoveryIT(Lab lab) {
    this.lab = lab;
  }

  @BeforeEach
  void prepare(Vertx vertx) {
    this.vertx = vertx;
    lab.restart();
    room = new LunRoom(vertx, lab.images()).on(lab).withTimeout(Duration.ofSeconds(3));
  }

  @AfterEach
  void clean() throws IOException {
    lab.removeImages();
  }

  /** B08 */
  @Test
  void bringsTargetsBackWhenTheContainerWasRestarted() {
    startWithTwoDisks();
    lab.restart();
    within(IN_TIME_SECONDS, () -> room.view().scanned() && targets().equals(BOTH));
    assertEquals(2, room.audit.count("auto_scan", true));
  }

  /** B07: a daemon that died alone, in a container that goes on. */
  @Test
  void bringsTargetsBackWhenTheDaemonWasRestarted() throws IOException {
    startWithTwoDisks();
    lab.stopDaemon();
    assertEquals(ErrorCode.BACKEND_UNAVAILABLE, failure(room.list()).code());
    var delete = failure(room.delete("iqn", iqn("a"), "delete_file", "true", "force", "true"));
    assertEquals(ErrorCode.BACKEND_UNAVAILABLE, delete.code());
    assertFalse(room.view().ready());
    assertEquals(List.of("a.img", "b.img"), room.files());
    lab.startDaemon();
    assertEquals(BOTH, targetsOnceListed());
    within(IN_TIME_SECONDS, () -> room.view().scanned());
    assertEquals(2, room.audit.count("auto_scan", true));
    assertEquals(2, lab.initiator().discover().size());
  }

  /** Nobody had the time to notice: the first listing shows it, and is never an empty one. */
  @Test
  void neverListsNothingAfterAQuickRestart() {
    startWithTwoDisks();
    for (int i = 0; i < 5; i++) {
      lab.stopDaemon();
      lab.startDaemon();
      assertEquals(BOTH, targetsOnceListed());
    }
  }

  /** B58 */
  @Test
  void waitsForAContainerThatComesLate() {
    room.file("a.img", 512);
    room.file("b.img", 512);
    lab.stop();
    start();
    assertEquals(ErrorCode.CONTAINER_UNAVAILABLE, failure(room.list()).code());
    within(5, () -> room.view().problem().isPresent());
    lab.start();
    within(IN_TIME_SECONDS, () -> room.view().scanned());
    assertEquals(BOTH, targets());
    assertEquals(1, room.audit.count("auto_scan", true));
    assertEquals(0, room.audit.count("auto_scan", false));
  }

  /** B42 */
  @Test
  void failsCleanlyWhileTheContainerIsPaused() {
    startWithTwoDisks();
    lab.pause();
    try {
      ErrorCode code = failure(room.disk("iqn", iqn("c"), "size", "1M")).code();
      // A session that stood open shows nothing but its silence; one that cannot be opened tells.
      assertTrue(
          code == ErrorCode.CONTAINER_UNAVAILABLE || code == ErrorCode.COMMAND_TIMEOUT,
          code.word());
      within(IN_TIME_SECONDS, () -> failure(room.list()).code() == ErrorCode.CONTAINER_UNAVAILABLE);
      code = failure(room.disk("iqn", iqn("c"), "size", "1M")).code();
      assertEquals(ErrorCode.CONTAINER_UNAVAILABLE, code);
      assertEquals(List.of("a.img", "b.img"), room.files());
    } finally {
      lab.unpause();
    }
    within(IN_TIME_SECONDS, () -> room.view().ready());
    assertEquals(BOTH, targets());
    room.disk("iqn", iqn("c"), "size", "1M").await();
    assertEquals(1, room.audit.count("auto_scan", true));
  }

  /** B37: a daemon that hangs takes the request, and acts on it when nobody waits any more. */
  @Test
  void leavesNoTargetWhenTheDaemonActsTooLate() {
    startWithTwoDisks();
    lab.signalDaemon("STOP");
    assertEquals(
        ErrorCode.COMMAND_TIMEOUT, failure(room.disk("iqn", iqn("c"), "size", "1M")).code());
    assertEquals(List.of("a.img", "b.img"), room.files());
    lab.signalDaemon("CONT");
    within(IN_TIME_SECONDS, () -> room.view().ready());
    within(5, () -> lab.initiator().discover().size() == 2);
    assertEquals(BOTH, targets());
    room.disk("iqn", iqn("c"), "size", "1M").await();
    assertEquals(1, room.audit.count("disk", false));
  }

  /** What was killed in the middle is made whole at the next start. */
  @Test
  void finishesWhatAKilledAgentLeft() throws IOException {
    room.file("a.img", 512);
    room.file("b.img", 512);
    String[] tgtadm = {"tgtadm", "--lld", "iscsi", "--mode", "target", "--op", "new", "--tid", "7"};
    lab.exec(Stream.concat(Stream.of(tgtadm), Stream.of("-T", iqn("a"))).toArray(String[]::new))
        .orFail();
    start();
    within(IN_TIME_SECONDS, () -> room.view().scanned());
    assertEquals(BOTH, targets());
    lab.initiator().login(iqn("a")).close();
  }

  /** B43: the container does not have the directory at all. */
  @Test
  void saysThatTheDirectoryIsNotMounted(@TempDir Path elsewhere) {
    room = room.in(elsewhere);
    start();
    within(IN_TIME_SECONDS, () -> room.view().scanned());
    assertTrue(room.view().problem().orElseThrow().contains("not mounted"));
    var failure = failure(room.disk("iqn", iqn("a"), "size", "1M"));
    assertEquals(ErrorCode.COMMAND_FAILED, failure.code());
    assertTrue(failure.getMessage().contains("mounted in the iSCSI container"));
    assertEquals(List.of(), room.files());
  }

  private void startWithTwoDisks() {
    start();
    within(IN_TIME_SECONDS, () -> room.view().scanned());
    room.disk("iqn", iqn("a"), "size", "1M").await();
    room.disk("iqn", iqn("b"), "size", "1M").await();
  }

  private void start() {
    room.deploy();
    vertx.deployVerticle(new AutoScanVerticle(room.bus)).await();
  }

  private Set<String> targets() {
    return room.list().await().targets().stream().map(TargetView::iqn).collect(Collectors.toSet());
  }

  /** What the first listing shows that is answered at all. */
  private Set<String> targetsOnceListed() {
    long end = System.nanoTime() + IN_TIME_SECONDS * 1_000_000_000L;
    while (true) {
      try {
        return targets();
      } catch (AgentException unavailable) {
        assertTrue(System.nanoTime() < end, unavailable.getMessage());
      }
    }
  }

  private interface Condition {
    boolean holds() throws IOException;
  }

  private static void within(int seconds, Condition condition) {
    long end = System.nanoTime() + seconds * 1_000_000_000L;
    while (true) {
      try {
        if (condition.holds()) {
          return;
        }
        assertTrue(System.nanoTime() < end, "not within " + seconds + " s");
        Thread.sleep(100);
      } catch (IOException | InterruptedException e) {
        throw new AssertionError(e);
      }
    }
  }
}
