package io.incudal.agent.lun;

import static io.incudal.agent.lun.LunRoom.failure;
import static io.incudal.agent.lun.LunRoom.iqn;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.incudal.agent.bus.ErrorCode;
import io.incudal.agent.lun.LunMessages.Scanned;
import io.incudal.agent.lun.LunMessages.Scanned.Created;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.junit5.VertxExtension;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

@ExtendWith(VertxExtension.class)
class ScanTest {
  private LunRoom room;

  @BeforeEach
  void open(Vertx vertx, @TempDir Path images) {
    room = new LunRoom(vertx, images).open();
    room.audit.lines.clear();
  }

  @Test
  void exportsImagesInNameOrder() {
    room.file("worker-02.Ubuntu.img", 512);
    room.file("worker-01.Windows.iso", 2048);
    room.file("a.IMG", 512);
    Scanned done = room.scan().await();
    assertEquals(
        List.of(
            new Created(iqn("a"), false),
            new Created(iqn("worker-01.windows.iso"), true),
            new Created(iqn("worker-02.ubuntu"), false)),
        done.created());
    assertEquals(List.of(), done.skipped());
    assertEquals(List.of(), done.failed());
    assertEquals("scan ok", room.audit.summary().get(0));
    assertEquals(Map.of("created", 3, "skipped", 0), room.audit.lines.get(0).counts());
  }

  /** B48, B58: the directory may have come, with what a crash left in it, after the start. */
  @Test
  void removesWhatACrashLeftUnfinished() {
    Path torso = room.file(".incudal-00000000-0000-4000-8000-000000000000-7.part", 512);
    assertEquals(List.of(), room.scan().await().created());
    assertFalse(Files.exists(torso));
  }

  @Test
  void skipsWhatIsExported() {
    room.file("b.img", 512);
    room.disk("iqn", iqn("a"), "size", "1M").await();
    room.disk("iqn", iqn("c"), "size", "1M", "filename", "Other.img").await();
    Path foreign = room.file("d.img", 512);
    room.tgtd.with(50, "iqn.2020-01.org.other:Mine", foreign.toString());
    Scanned done = room.scan().await();
    assertEquals(List.of(new Created(iqn("b"), false)), done.created());
    assertEquals(List.of(iqn("c"), iqn("a"), "iqn.2020-01.org.other:Mine"), done.skipped());
    assertEquals(List.of(), room.scan().await().created());
  }

  /** B05: a name that makes no valid IQN fails alone, and a master is none of its business. */
  @Test
  void listsWhatCannotBeExported(@TempDir Path elsewhere) throws IOException {
    room.file("_tpl_debian_12.img", 512);
    room.file("my_disk.img", 512);
    room.file("a b.img", 512);
    room.file("empty.img", 0);
    room.file("odd.img", 1000);
    room.file("com,ma.img", 512);
    room.file(".hidden.img", 512);
    room.file("readme.txt", 512);
    room.file("ok-1.img", 512);
    Files.createDirectory(room.images.resolve("dir.img"));
    Path foreign = Files.write(elsewhere.resolve("foreign.img"), new byte[512]);
    Path link = Files.createSymbolicLink(room.images.resolve("link.img"), foreign);
    Scanned done = room.scan().await();
    assertEquals(List.of(new Created(iqn("ok-1"), false)), done.created());
    assertEquals(
        List.of("a b.img", "com,ma.img", "empty.img", "my_disk.img", "odd.img"),
        done.failed().stream().map(Scanned.Failed::file).toList());
    done.failed().forEach(failed -> assertFalse(failed.detail().isBlank()));
    assertEquals(Map.of("created", 1, "skipped", 0, "failed", 5), room.audit.lines.get(0).counts());
  }

  /** B21: two files that differ only in case would be one target. */
  @Test
  void givesAnIqnToTheFirstOfTwoFiles() {
    room.file("a.img", 512);
    room.file("A.img", 512);
    Scanned done = room.scan().await();
    assertEquals(List.of(new Created(iqn("a"), false)), done.created());
    assertEquals("a.img", done.failed().get(0).file());
    assertTrue(done.failed().get(0).detail().contains("A.img"));
    assertTrue(room.tgtd.describe(iqn("a")).contains("/A.img"));
    Scanned again = room.scan().await();
    assertEquals(List.of(iqn("a")), again.skipped());
    assertEquals(1, again.failed().size());
  }

  @Test
  void bringsDisksBackUnderTheIqnTheyWereMadeWith() {
    room.disk("iqn", iqn("a"), "size", "1M", "filename", "Other.img").await();
    room.tgtd.restartDaemon();
    room.bringBack();
    assertEquals(List.of(iqn("a")), room.names());
    assertTrue(room.tgtd.describe(iqn("a")).contains("/Other.img"));
  }

  /** B55: the directory is the truth. */
  @Test
  void bringsBackATargetWhoseFileWasKept() {
    room.disk("iqn", iqn("a"), "size", "1M").await();
    room.delete("iqn", iqn("a")).await();
    assertEquals(List.of(new Created(iqn("a"), false)), room.scan().await().created());
  }

  @Test
  void passesIsosOverOnABackEndWithoutCds() {
    room.undeploy().await();
    room.asLio().open();
    room.file("deb.iso", 2048);
    room.file("Win_11.iso", 2048);
    room.file("a.img", 512);
    Scanned done = room.scan().await();
    assertEquals(List.of(new Created(iqn("a"), false)), done.created());
    assertEquals(List.of(iqn("deb.iso")), done.skipped());
    assertEquals(List.of(), done.failed());
  }

  @Test
  void goesOnAfterAFileThatTheDaemonRefuses() {
    room.file("a.img", 512);
    room.file("b.img", 512);
    room.tgtd.answer("a.img", 22, "tgtadm: invalid request\n");
    Scanned done = room.scan().await();
    assertEquals(List.of(new Created(iqn("b"), false)), done.created());
    assertEquals("a.img", done.failed().get(0).file());
    assertTrue(done.failed().get(0).detail().contains("invalid request"));
  }

  @Test
  void failsAsAWholeWhenTheBackEndGoes() {
    for (int i = 0; i < 20; i++) {
      room.file("d" + i + ".img", 512);
    }
    room.tgtd.answer("--targetname " + iqn("d0"), 107, "tgtadm: no daemon\n");
    assertEquals(ErrorCode.BACKEND_UNAVAILABLE, failure(room.scan()).code());
    assertEquals(1, room.audit.count("scan", false));
    assertEquals(20, room.names().size() + room.scan().await().created().size());
  }

  /** Operations of other targets go on; those of its own come after it. */
  @Test
  void holdsUpOnlyTheTargetsThatItIsAt() {
    room.file("a.img", 512);
    room.file("b.img", 512);
    Promise<Void> gate = room.tgtd.hold("--targetname " + iqn("a"));
    Future<Scanned> scan = room.scan();
    room.disk("iqn", iqn("c"), "size", "1M").await();
    var delete = room.delete("iqn", iqn("a"), "delete_file", "true");
    gate.complete();
    assertEquals(2, scan.await().created().size());
    delete.await();
    assertEquals(List.of("b.img", "c.img"), room.files());
  }

  @Test
  void passesOverAFileThatWentMeanwhile() throws IOException {
    Path file = room.file("a.img", 512);
    Promise<Void> gate = room.tgtd.hold("--targetname " + iqn("a"));
    Future<?> create = room.disk("iqn", iqn("a"), "size", "1M", "filename", "z.img");
    room.tgtd.files(path -> !path.endsWith("z.img"));
    Future<Scanned> scan = room.scan();
    room.list().await();
    Files.delete(file);
    gate.complete();
    failure(create);
    Scanned done = scan.await();
    assertEquals(List.of(), done.created());
    assertEquals(List.of(), done.failed());
  }

  @Test
  void undoesAScanThatCouldNotBeLogged() {
    room.file("a.img", 512);
    room.audit.failing = true;
    assertEquals(ErrorCode.AUDIT_FAILED, failure(room.scan()).code());
    assertEquals(List.of(), room.tgtd.names());
    assertEquals(List.of("a.img"), room.files());
  }

  @Test
  void runsOneScanAfterTheOther() {
    for (int i = 0; i < 50; i++) {
      room.file("d" + i + ".img", 512);
    }
    Future<Scanned> first = room.scan();
    Future<Scanned> second = room.scan();
    assertEquals(50, first.await().created().size());
    assertEquals(50, second.await().skipped().size());
    assertEquals(50, room.tgtd.count("--targetname"));
  }
}
