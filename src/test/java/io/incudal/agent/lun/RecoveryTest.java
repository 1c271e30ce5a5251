package io.incudal.agent.lun;

import static io.incudal.agent.lun.LunRoom.failure;
import static io.incudal.agent.lun.LunRoom.iqn;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.incudal.agent.bus.Addresses;
import io.incudal.agent.bus.ErrorCode;
import io.incudal.agent.lun.LunMessages.BackendChanged;
import io.incudal.agent.lun.LunMessages.BackendView;
import io.incudal.agent.lun.LunMessages.Capabilities;
import io.incudal.agent.lun.LunMessages.CheckBackend;
import io.incudal.agent.lun.LunMessages.CountOperations;
import io.incudal.agent.lun.LunMessages.Deleted;
import io.incudal.agent.lun.LunMessages.DescribeCapabilities;
import io.incudal.agent.lun.LunMessages.Exported;
import io.incudal.agent.lun.LunMessages.Scanned;
import io.incudal.agent.lun.LunMessages.TargetList;
import io.incudal.agent.lun.LunMessages.TargetsChanged;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.junit5.VertxExtension;
import java.nio.file.Path;
import java.util.List;
import java.util.OptionalInt;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** What callers see while the back end is away, comes back, or has lost its targets. */
@ExtendWith(VertxExtension.class)
class RecoveryTest {
  private LunRoom room;

  @BeforeEach
  void prepare(Vertx vertx, @TempDir Path images) {
    room = new LunRoom(vertx, images);
  }

  @Test
  void keepsListingsBackUntilTheStartUpScanIsDone() {
    room.file("a.img", 512);
    room.deploy();
    Future<TargetList> early = room.list();
    Promise<Void> gate = room.tgtd.hold("--targetname");
    room.openBackend();
    Future<Scanned> scan = room.autoScan();
    Future<TargetList> during = room.list();
    assertFalse(room.view().scanned());
    gate.complete();
    scan.await();
    assertEquals(1, early.await().targets().size());
    assertEquals(1, during.await().targets().size());
    assertTrue(room.view().scanned());
    assertEquals(List.of("auto_scan ok"), room.audit.summary());
    assertEquals("local", room.audit.lines.get(0).caller().client());
  }

  @Test
  void keepsADeletionInLineBehindTheScan() {
    room.file("a.img", 512);
    room.file("b.img", 512);
    room.deploy();
    Future<Deleted> early = room.delete("iqn", iqn("a"), "delete_file", "true");
    Promise<Void> gate = room.tgtd.hold("--targetname " + iqn("b"));
    room.openBackend();
    Future<Scanned> scan = room.autoScan();
    Future<Deleted> during = room.delete("iqn", iqn("b"), "delete_file", "true");
    Future<Exported> after = room.disk("iqn", iqn("b"), "size", "1M");
    gate.complete();
    assertEquals(2, scan.await().created().size());
    early.await();
    during.await();
    after.await();
    assertEquals(List.of("b.img"), room.files());
    assertEquals(List.of(iqn("b")), room.names());
  }

  @Test
  void letsCreationsOfOtherTargetsPassAScan() {
    room.file("a.img", 512);
    room.deploy();
    Promise<Void> gate = room.tgtd.hold("--targetname " + iqn("a"));
    room.openBackend();
    Future<Scanned> scan = room.autoScan();
    room.disk("iqn", iqn("c"), "size", "1M").await();
    gate.complete();
    scan.await();
    assertEquals(2, room.names().size());
  }

  /** B07, B70: never an empty list from a daemon that cannot be asked. */
  @Test
  void answersWhatIsWrongWhileTheBackEndIsDown() {
    room.tgtd.containerDown();
    room.deploy();
    assertEquals(
        ErrorCode.CONTAINER_UNAVAILABLE,
        failure(room.ask(Addresses.LUN_BACKEND, new LunMessages.OpenBackend())).code());
    assertEquals(ErrorCode.CONTAINER_UNAVAILABLE, failure(room.list()).code());
    assertEquals(ErrorCode.CONTAINER_UNAVAILABLE, failure(room.scan()).code());
    var delete = failure(room.delete("iqn", iqn("a")));
    assertEquals(ErrorCode.CONTAINER_UNAVAILABLE, delete.code());
    BackendView view = room.view();
    assertFalse(view.ready());
    assertEquals(OptionalInt.empty(), view.targets());
    assertEquals("the container is not running", view.problem().orElseThrow());
  }

  /** B08: a restart that nobody has noticed yet is noticed by the listing itself. */
  @Test
  void waitsForTheRecoveryThatAListingShowedToBeNeeded() {
    room.file("a.img", 512);
    room.open();
    room.tgtd.restartDaemon();
    List<BackendView> heard = new CopyOnWriteArrayList<>();
    Promise<Void> noticed = Promise.promise();
    room.bus.listen(
        Addresses.EVENT_BACKEND,
        BackendChanged.class,
        event -> {
          heard.add(event.view());
          noticed.tryComplete();
        });
    Future<TargetList> list = room.list();
    noticed.future().await();
    assertFalse(heard.get(0).scanned());
    assertFalse(list.isComplete());
    room.bringBack();
    assertEquals(1, list.await().targets().size());
    assertEquals(2, room.audit.count("auto_scan", true));
  }

  @Test
  void noticesARestartWhenItIsAskedTo() {
    room.open();
    assertTrue(room.ask(Addresses.LUN_BACKEND, new CheckBackend()).await().same());
    room.tgtd.restartDaemon();
    assertFalse(room.ask(Addresses.LUN_BACKEND, new CheckBackend()).await().same());
    assertFalse(room.view().scanned());
  }

  @Test
  void needsNoScanAfterAPause() {
    room.file("a.img", 512);
    room.open();
    room.tgtd.containerDown();
    failure(room.ask(Addresses.LUN_BACKEND, new CheckBackend()));
    assertFalse(room.view().ready());
    room.tgtd.unpause();
    assertTrue(room.ask(Addresses.LUN_BACKEND, new CheckBackend()).await().same());
    assertEquals(
        new BackendView(true, true, OptionalInt.of(1), room.view().problem()), room.view());
  }

  /** A scan that failed is still due, whatever the daemon is. */
  @Test
  void asksForAScanUntilOneWentWell() {
    room.file("a.img", 512);
    room.deploy();
    assertTrue(room.openBackend().needsScan());
    room.tgtd.answer("--targetname", 107, "tgtadm: no daemon\n");
    failure(room.autoScan());
    assertEquals(List.of(), room.audit.summary());
    assertTrue(room.openBackend().needsScan());
    room.autoScan().await();
    assertEquals(List.of("auto_scan ok"), room.audit.summary());
    assertFalse(room.openBackend().needsScan());
  }

  /** Machines have to boot, whatever the state of the log. */
  @Test
  void bringsTargetsBackThoughTheLogCannotBeWritten() {
    room.file("a.img", 512);
    room.audit.unavailable = true;
    room.audit.failing = true;
    room.deploy();
    assertEquals(1, room.bringBack().created().size());
    assertTrue(room.view().scanned());
    assertEquals(List.of(iqn("a")), room.names());
  }

  /** B43: seen at the opening, before anybody makes a disk. */
  @Test
  void saysThatTheContainerHasAnotherDirectory(@TempDir Path other) {
    room.tgtd.mounting(other);
    room.open();
    String problem = room.view().problem().orElseThrow();
    assertTrue(problem.contains("another directory"), problem);
    room.tgtd.mounting(other.resolve("missing"));
    room.openBackend();
    problem = room.view().problem().orElseThrow();
    assertTrue(problem.contains("not mounted in the iSCSI container"), problem);
  }

  @Test
  void describesItselfWithoutABackEnd() {
    room.tgtd.dockerDown();
    room.deploy();
    Capabilities can = room.ask(Addresses.LUN_QUERY, new DescribeCapabilities()).await();
    assertEquals("stgt", can.backend());
    assertTrue(can.cd());
    assertEquals("auto-scan on startup", can.persistent());
    assertEquals(LunRoom.BASE, can.baseIqn());
    assertEquals("truncate (sparse)", can.emptyDisk());
    assertTrue(can.cloneMode().contains("reflink"));
  }

  @Test
  void describesABackEndWithoutCds() {
    room.asLio().deploy();
    Capabilities can = room.ask(Addresses.LUN_QUERY, new DescribeCapabilities()).await();
    assertEquals("lio", can.backend());
    assertFalse(can.cd());
    assertEquals("saveconfig (auto-load on start)", can.persistent());
  }

  @Test
  void givesTheSameInstanceToAllWhoShareAListing() {
    room.file("a.img", 512);
    room.open();
    Promise<Void> gate = room.tgtd.hold("target --op show");
    Future<TargetList> first = room.list();
    Future<TargetList> second = room.list();
    Future<TargetList> third = room.list();
    gate.complete();
    first.await();
    assertSame(second.await(), third.await());
  }

  @Test
  void tellsHowManyTargetsThereAre() {
    List<Integer> counts = new CopyOnWriteArrayList<>();
    room.bus.listen(
        Addresses.EVENT_TARGETS, TargetsChanged.class, event -> counts.add(event.count()));
    room.open();
    room.disk("iqn", iqn("a"), "size", "1M").await();
    room.disk("iqn", iqn("b"), "size", "1M").await();
    room.delete("iqn", iqn("a")).await();
    assertEquals(OptionalInt.of(1), room.view().targets());
    assertEquals(List.of(1, 2, 1), counts);
  }

  @Test
  void countsTheOperationsUnderWay() {
    room.open();
    Promise<Void> gate = room.tgtd.hold("--targetname");
    Future<?> one = room.disk("iqn", iqn("a"), "size", "1M");
    Future<?> two = room.delete("iqn", iqn("a"));
    assertEquals(2, room.ask(Addresses.LUN_QUERY, new CountOperations()).await().count());
    gate.complete();
    one.await();
    two.await();
    assertEquals(0, room.ask(Addresses.LUN_QUERY, new CountOperations()).await().count());
  }

  @Test
  void finishesWhatRunsAndTurnsTheRestAwayWhenStopped() {
    room.open();
    room.audit.lines.clear();
    Promise<Void> gate = room.tgtd.hold("--targetname");
    Future<Exported> running = room.disk("iqn", iqn("a"), "size", "1M");
    Future<Deleted> waiting = room.delete("iqn", iqn("a"));
    room.view();
    Future<Void> stopped = room.undeploy();
    assertEquals(ErrorCode.STOPPING, failure(waiting).code());
    assertEquals(ErrorCode.STOPPING, failure(room.list()).code());
    assertFalse(stopped.isComplete());
    gate.complete();
    running.await();
    stopped.await();
    assertEquals(List.of("disk ok"), room.audit.summary());
    assertEquals(List.of("a.img"), room.files());
  }

  @Test
  void saysOverloadedWithoutALine() {
    room.withQueue(2, 3).open();
    room.audit.lines.clear();
    Promise<Void> gate = room.tgtd.hold("--targetname");
    Future<?> one = room.disk("iqn", iqn("a"), "size", "1M");
    Future<?> two = room.delete("iqn", iqn("a"));
    assertEquals(ErrorCode.OVERLOADED, failure(room.delete("iqn", iqn("a"))).code());
    assertEquals(List.of(), room.audit.summary());
    gate.complete();
    one.await();
    two.await();
    assertEquals(List.of("disk ok", "delete ok"), room.audit.summary());
  }
}
