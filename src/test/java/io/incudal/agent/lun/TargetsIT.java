package io.incudal.agent.lun;

import static io.incudal.agent.lun.LunRoom.failure;
import static io.incudal.agent.lun.LunRoom.iqn;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.incudal.agent.bus.ErrorCode;
import io.incudal.agent.lab.Initiator;
import io.incudal.agent.lab.IscsiSession;
import io.incudal.agent.lab.Lab;
import io.incudal.agent.lab.LabExtension;
import io.incudal.agent.lun.LunMessages.Exported;
import io.incudal.agent.lun.LunMessages.LunView;
import io.incudal.agent.lun.LunMessages.Scanned;
import io.incudal.agent.lun.LunMessages.TargetView;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.junit5.VertxExtension;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * The use cases on each real target daemon, through real sessions into its container, with real
 * logins. What differs between the daemons is said by the {@link Lab}.
 */
@Tag("stgt")
@Tag("lio")
@ExtendWith({VertxExtension.class, LabExtension.class})
class TargetsIT {
  private static final int SIZE = 1 << 20;

  private final Lab lab;
  private LunRoom room;

  TargetsIT(Lab lab) {
    this.lab = lab;
  }

  @BeforeEach
  void open(Vertx vertx) {
    room = new LunRoom(vertx, lab.images()).on(lab).open();
    room.audit.lines.clear();
  }

  @AfterEach
  void clean() throws IOException {
    room.removeTargets();
    lab.removeImages();
    room.undeploy().await();
  }

  @Test
  void initiatorReadsFromACloneWhatTheMasterHolds() throws IOException {
    byte[] content = new byte[SIZE];
    new Random(7).nextBytes(content);
    Files.write(lab.images().resolve("_tpl_debian.img"), content);
    Exported made = room.disk("iqn", iqn("Worker-01"), "master", "_tpl_debian.img").await();
    assertEquals(List.of(iqn("worker-01")), lab.initiator().discover());
    try (IscsiSession session = lab.initiator().login(made.iqn())) {
      assertEquals(SIZE, session.capacity(lab.diskLun()));
      assertArrayEquals(content, session.read(lab.diskLun(), 0, SIZE));
    }
  }

  /** B01, B03: refused as a whole while somebody is logged in, and done once he is gone. */
  @Test
  void keepsATargetWholeWhileAnInitiatorIsLoggedIn() throws IOException {
    room.disk("iqn", iqn("a"), "size", "1M").await();
    try (IscsiSession session = lab.initiator().login(iqn("a"))) {
      var failure = failure(room.delete("iqn", iqn("a"), "delete_file", "true"));
      assertEquals(ErrorCode.TARGET_IN_USE, failure.code());
      assertEquals(List.of(Initiator.NAME), failure.members().get("initiators"));
      session.write(lab.diskLun(), 0, new byte[4096]);
      assertEquals(SIZE, session.capacity(lab.diskLun()));
      try (IscsiSession second = lab.initiator().login(iqn("a"))) {
        assertEquals(SIZE, second.capacity(lab.diskLun()));
      }
    }
    room.delete("iqn", iqn("a"), "delete_file", "true").await();
    assertEquals(List.of(), room.names());
    assertEquals(List.of(), room.files());
  }

  @Test
  void endsSessionsWithForce() throws Exception {
    room.disk("iqn", iqn("a"), "size", "1M").await();
    try (IscsiSession session = lab.initiator().login(iqn("a"))) {
      room.delete("iqn", iqn("a"), "delete_file", "true", "force", "true").await();
      session.ended().get(5, TimeUnit.SECONDS);
    }
    assertEquals(List.of(), room.names());
    assertEquals(List.of(), room.files());
  }

  /** B07: the daemon has to live through forced deletions of targets that are in use. */
  @Test
  void daemonSurvivesForcedDeletionsUnderLoad() throws Exception {
    for (int round = 0; round < 15; round++) {
      room.disk("iqn", iqn("a"), "size", "1M").await();
      List<IscsiSession> sessions = new ArrayList<>();
      for (int i = 0; i < 4; i++) {
        sessions.add(lab.initiator().login(iqn("a")));
      }
      Thread load = new Thread(() -> writeUntilCut(sessions.get(0)));
      load.start();
      room.delete("iqn", iqn("a"), "delete_file", "true", "force", "true").await();
      load.join(5_000);
      assertFalse(load.isAlive());
      for (IscsiSession session : sessions) {
        session.close();
      }
    }
    assertEquals(List.of(), room.names());
  }

  private void writeUntilCut(IscsiSession session) {
    try {
      while (true) {
        session.write(lab.diskLun(), 0, new byte[65536]);
      }
    } catch (IOException cut) {
      // Which is what it waits for.
      return;
    }
  }

  /** B64, on the real daemon. */
  @Test
  void letsOneOfManyIdenticalRequestsWin() {
    for (int round = 0; round < 50; round++) {
      List<Future<Exported>> all = new ArrayList<>();
      for (int i = 0; i < 10; i++) {
        all.add(room.disk("iqn", iqn("race"), "size", "1M"));
      }
      Future.join(all).transform(done -> Future.succeededFuture()).await();
      assertEquals(1, all.stream().filter(Future::succeeded).count());
      assertTrue(Files.exists(lab.images().resolve("race.img")));
      room.delete("iqn", iqn("race"), "delete_file", "true").await();
    }
    assertEquals(50, room.audit.count("disk", true));
    assertEquals(450, room.audit.count("disk", false));
  }

  /** B66: many files at once, in name order, while others go on working. */
  @Test
  void scansHundredsOfFilesWhileOthersWork() {
    for (int i = 0; i < 250; i++) {
      room.file(String.format("w%03d.img", i), 512);
    }
    long begin = System.nanoTime();
    Future<Scanned> scan = room.scan();
    room.disk("iqn", iqn("meanwhile"), "size", "1M").await();
    boolean early = !scan.isComplete();
    List<Scanned.Created> created = scan.await().created();
    long millis = (System.nanoTime() - begin) / 1_000_000;
    assertTrue(early, "the scan held the other operation up");
    assertEquals(250, created.size());
    for (int i = 0; i < 250; i++) {
      assertEquals(iqn(String.format("w%03d", i)), created.get(i).iqn());
    }
    assertTrue(millis < lab.patience().toMillis(), "took " + millis + " ms");
    assertEquals(251, room.names().size());
  }

  /** B04: a target made behind the agent's back, and others that are none of its business. */
  @Test
  void getsAlongWithTargetsMadeByOthers() {
    Path file = room.file("theirs.img", 512);
    room.disk("iqn", iqn("first"), "size", "1M").await();
    lab.exportByHand("iqn.2020-01.org.other:x", file);
    lab.exportByHand(iqn("behind"), room.file("behind.img.theirs", 512));
    room.disk("iqn", iqn("second"), "size", "1M").await();
    assertEquals(
        ErrorCode.TARGET_EXISTS, failure(room.disk("iqn", iqn("behind"), "size", "1M")).code());
    assertEquals(
        Set.of(iqn("first"), "iqn.2020-01.org.other:x", iqn("behind"), iqn("second")),
        new HashSet<>(room.names()));
    assertEquals(
        List.of("behind.img.theirs", "first.img", "second.img", "theirs.img"), room.files());
  }

  /** B10: names and files stay together. */
  @Test
  void givesEachOfManyDisksItsOwnFile() {
    List<Future<Exported>> all = new ArrayList<>();
    for (int i = 0; i < 20; i++) {
      all.add(room.disk("iqn", iqn("d" + i), "size", "1M"));
    }
    Future.all(all).await();
    List<Future<?>> again = new ArrayList<>();
    for (int i = 5; i < 15; i++) {
      String name = iqn("d" + i);
      again.add(
          room.delete("iqn", name, "delete_file", "true")
              .compose(gone -> room.disk("iqn", name, "size", "1M")));
    }
    Future.all(again).await();
    List<TargetView> targets = room.list().await().targets();
    assertEquals(20, targets.size());
    for (TargetView target : targets) {
      String suffix = target.iqn().substring(LunRoom.BASE.length() + 1);
      String file = lab.images().resolve(suffix + ".img").toString();
      assertTrue(target.luns().contains(new LunView(lab.diskLun(), Optional.of(file))));
    }
  }

  /** B21: one name, however it is spelled. */
  @Test
  void takesNamesInAnyCase() {
    room.disk("iqn", iqn("Worker-01.Windows"), "size", "1M").await();
    assertEquals(List.of(iqn("worker-01.windows")), room.names());
    assertEquals(
        ErrorCode.TARGET_EXISTS,
        failure(room.disk("iqn", iqn("WORKER-01.windows"), "size", "1M")).code());
    room.delete("iqn", iqn("Worker-01.WINDOWS"), "delete_file", "true").await();
    assertEquals(List.of(), room.names());
    room.file("A.img", 512);
    room.file("a.img", 512);
    Scanned done = room.scan().await();
    assertEquals(1, done.created().size());
    assertEquals(1, done.failed().size());
  }

  /** B42: nothing is left behind when the container is paused. */
  @Test
  void undoesADiskWhoseContainerIsPaused() {
    lab.pause();
    try {
      assertTrue(failure(room.disk("iqn", iqn("a"), "size", "1M")).code().status() >= 500);
    } finally {
      lab.unpause();
    }
    assertEquals(List.of(), room.names());
    assertEquals(List.of(), room.files());
    room.disk("iqn", iqn("a"), "size", "1M").await();
  }
}
