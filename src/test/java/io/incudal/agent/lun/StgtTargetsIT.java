package io.incudal.agent.lun;

import static io.incudal.agent.lun.LunRoom.failure;
import static io.incudal.agent.lun.LunRoom.iqn;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.incudal.agent.bus.ErrorCode;
import io.incudal.agent.lab.Initiator;
import io.incudal.agent.lab.IscsiSession;
import io.incudal.agent.lab.Lab;
import io.incudal.agent.lab.LabExtension;
import io.incudal.agent.lun.LunMessages.Exported;
import io.incudal.agent.lun.LunMessages.Scanned;
import io.incudal.agent.lun.LunMessages.TargetView;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.junit5.VertxExtension;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** The use cases on a real tgtd, through real sessions into its container, with real logins. */
@ExtendWith({VertxExtension.class, LabExtension.class})
class StgtTargetsIT {
  private static final int SIZE = 1 << 20;

  private final Lab lab;
  private LunRoom room;

  StgtTargetsIT(Lab lab) {
    this.lab = lab;
  }

  @BeforeEach
  void open(Vertx vertx) {
    room = new LunRoom(vertx, lab.images()).on(lab).open();
    room.audit.lines.clear();
  }

  @AfterEach
  void clean() throws IOException {
    List<Future<?>> gone = new ArrayList<>();
    for (TargetView target : room.list().await().targets()) {
      if (target.iqn().startsWith(LunRoom.BASE)) {
        gone.add(room.delete("iqn", target.iqn(), "force", "true"));
      } else {
        tgtadm("target", "delete", target.tid().getAsInt());
      }
    }
    Future.all(gone).await();
    try (Stream<Path> files = Files.list(lab.images())) {
      for (Path file : files.toList()) {
        Files.delete(file);
      }
    }
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

  @Test
  void isoIsACdThatNobodyWritesTo() throws IOException {
    byte[] content = new byte[SIZE];
    new Random(8).nextBytes(content);
    Path iso = Files.write(lab.images().resolve("Debian.iso"), content);
    Files.setPosixFilePermissions(iso, PosixFilePermissions.fromString("r--r--r--"));
    Exported cd = room.cd("iso", "Debian.iso").await();
    try (IscsiSession session = lab.initiator().login(cd.iqn())) {
      assertEquals(5, session.deviceType(1));
      assertArrayEquals(content, session.read(1, 0, SIZE));
      assertThrows(IOException.class, () -> session.write(1, 0, new byte[2048]));
    }
    assertArrayEquals(content, Files.readAllBytes(iso));
  }

  /** B01, B03: refused as a whole while somebody is logged in, and done once he is gone. */
  @Test
  void keepsATargetWholeWhileAnInitiatorIsLoggedIn() throws IOException {
    room.disk("iqn", iqn("a"), "size", "1M").await();
    try (IscsiSession session = lab.initiator().login(iqn("a"))) {
      var failure = failure(room.delete("iqn", iqn("a"), "delete_file", "true"));
      assertEquals(ErrorCode.TARGET_IN_USE, failure.code());
      assertEquals(List.of(Initiator.NAME), failure.members().get("initiators"));
      session.write(1, 0, new byte[4096]);
      assertEquals(SIZE, session.capacity(1));
      try (IscsiSession second = lab.initiator().login(iqn("a"))) {
        assertEquals(SIZE, second.capacity(1));
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

  private static void writeUntilCut(IscsiSession session) {
    try {
      while (true) {
        session.write(1, 0, new byte[65536]);
      }
    } catch (IOException cut) {
      // Which is what it waits for.
      return;
    }
  }

  /** B12: one ISO under two names. */
  @Test
  void keepsAnIsoThatAnotherCdShows() throws IOException {
    Files.write(lab.images().resolve("x.iso"), new byte[SIZE]);
    room.cd("iso", "x.iso").await();
    room.cd("iso", "x.iso", "iqn", iqn("second")).await();
    var failure = failure(room.delete("iqn", iqn("x.iso"), "delete_file", "true"));
    assertEquals(ErrorCode.BACKING_IN_USE, failure.code());
    room.delete("iqn", iqn("x.iso")).await();
    try (IscsiSession session = lab.initiator().login(iqn("second"))) {
      assertEquals(SIZE, session.read(1, 0, SIZE).length);
    }
  }

  /** B10: names, numbers and files stay together. */
  @Test
  void givesEachOfManyDisksItsOwnNumberAndFile() {
    List<Future<Exported>> all = new ArrayList<>();
    for (int i = 0; i < 20; i++) {
      all.add(room.disk("iqn", iqn("d" + i), "size", "1M"));
    }
    Future.all(all).await();
    for (int i = 5; i < 15; i++) {
      room.delete("iqn", iqn("d" + i), "delete_file", "true").await();
    }
    for (int i = 5; i < 15; i++) {
      room.disk("iqn", iqn("d" + i), "size", "1M").await();
    }
    List<TargetView> targets = room.list().await().targets();
    assertEquals(20, new HashSet<>(targets.stream().map(TargetView::tid).toList()).size());
    for (TargetView target : targets) {
      String suffix = target.iqn().substring(LunRoom.BASE.length() + 1);
      String file = lab.images().resolve(suffix + ".img").toString();
      assertEquals(file, target.luns().get(1).backing().orElseThrow());
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

  /** B05, and every name that a tool might stumble over. */
  @Test
  void scansFilesOfAnyName() throws IOException {
    List<String> odd = List.of("a'b", "a\"b", "$(id)", "`id`", "a;b", "a\\b", "a%sb", "é", "a=b");
    for (String name : odd) {
      room.file(name + ".img", 512);
      room.file(name + ".iso", 2048);
    }
    room.file("plain-1.img", 512);
    Scanned done = room.scan().await();
    assertEquals(List.of(new Scanned.Created(iqn("plain-1"), false)), done.created());
    assertEquals(2 * odd.size(), done.failed().size());
    for (int i = 0; i < odd.size(); i++) {
      String file = odd.get(i) + ".iso";
      Exported cd = room.cd("iso", file, "iqn", iqn("odd" + i)).await();
      assertEquals(lab.images().resolve(file).toString(), cd.backing());
    }
    List<String> shown =
        room.list().await().targets().stream()
            .map(target -> target.luns().get(1).backing().orElseThrow())
            .toList();
    for (String name : odd) {
      assertTrue(shown.contains(lab.images().resolve(name + ".iso").toString()), name);
    }
    assertEquals(odd.size(), room.scan().await().skipped().size() - 1);
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
    assertTrue(millis < 20_000, "took " + millis + " ms");
    assertEquals(251, room.names().size());
  }

  /** A target made behind the agent's back, and a number taken by somebody else. */
  @Test
  void getsAlongWithTargetsMadeByOthers() {
    Path file = room.file("theirs.img", 512);
    room.disk("iqn", iqn("first"), "size", "1M").await();
    int next = room.list().await().targets().get(0).tid().getAsInt() + 1;
    make(next, "iqn.2020-01.org.other:x", file);
    make(next + 1, iqn("behind"), file);
    room.disk("iqn", iqn("second"), "size", "1M").await();
    assertEquals(
        ErrorCode.TARGET_EXISTS, failure(room.disk("iqn", iqn("behind"), "size", "1M")).code());
    assertEquals(
        Set.of(iqn("first"), "iqn.2020-01.org.other:x", iqn("behind"), iqn("second")),
        new HashSet<>(room.names()));
    assertEquals(List.of("first.img", "second.img", "theirs.img"), room.files());
  }

  private void make(int tid, String iqn, Path file) {
    tgtadm("target", "new", tid, "-T", iqn);
    tgtadm("logicalunit", "new", tid, "--lun", "1", "-b", file.toString());
  }

  private void tgtadm(String mode, String operation, int tid, String... more) {
    List<String> command = new ArrayList<>(List.of("tgtadm", "--lld", "iscsi", "--mode", mode));
    command.addAll(List.of("--op", operation, "--tid", Integer.toString(tid)));
    command.addAll(List.of(more));
    lab.exec(command.toArray(String[]::new)).orFail();
  }
}
