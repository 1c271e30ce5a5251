package io.incudal.agent.lun;

import static io.incudal.agent.lun.LunRoom.failure;
import static io.incudal.agent.lun.LunRoom.iqn;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.incudal.agent.bus.AgentException;
import io.incudal.agent.bus.ErrorCode;
import io.incudal.agent.lun.LunMessages.Deleted;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.junit5.VertxExtension;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@ExtendWith(VertxExtension.class)
class DeleteTest {
  private LunRoom room;

  @BeforeEach
  void open(Vertx vertx, @TempDir Path images) {
    room = new LunRoom(vertx, images).open();
    room.audit.lines.clear();
  }

  @Test
  void removesTheTargetAndKeepsTheFile() {
    make("a");
    Deleted done = room.delete("iqn", iqn("A")).await();
    assertEquals(new Deleted(iqn("a"), false), done);
    assertEquals(List.of(), room.tgtd.names());
    assertEquals(List.of("a.img"), room.files());
  }

  @Test
  void removesTheFileWhenTold() {
    make("a");
    Deleted done = room.delete("iqn", iqn("a"), "delete_file", "yes").await();
    assertEquals(new Deleted(iqn("a"), true), done);
    assertEquals(List.of(), room.files());
  }

  @Test
  void removesAFileOfAnotherName() {
    room.disk("iqn", iqn("a"), "size", "1M", "filename", "Other.img").await();
    room.delete("iqn", iqn("a"), "delete_file", "true").await();
    assertEquals(List.of(), room.files());
  }

  @Test
  void logsFlagsAsWhatTheyMean() {
    make("a");
    room.delete("iqn", iqn("a"), "delete_file", "ON", "force", "").await();
    failure(room.delete("iqn", iqn("a"), "delete_file", "maybe"));
    Map<String, Object> first = room.audit.lines.get(1).req();
    assertEquals(List.of("iqn", "delete_file", "force"), List.copyOf(first.keySet()));
    assertEquals(true, first.get("delete_file"));
    assertEquals(false, first.get("force"));
    assertEquals("maybe", room.audit.lines.get(2).req().get("delete_file"));
  }

  @ParameterizedTest
  @CsvSource({
    "delete_file,maybe,INVALID_PARAMETER",
    "force,2,INVALID_PARAMETER",
    "iqn,iqn.2020-01.org.other:a,IQN_BASE_MISMATCH",
    "iqn,'',MISSING_FIELD"
  })
  void refusesBadParameters(String name, String value, ErrorCode code) {
    make("a");
    var failure = failure(room.delete("iqn", iqn("a"), name, value));
    assertEquals(code, failure.code());
    assertEquals(List.of(iqn("a")), room.tgtd.names());
  }

  @Test
  void saysNotFound() {
    var failure = failure(room.delete("iqn", iqn("a"), "delete_file", "1", "force", "1"));
    assertEquals(ErrorCode.TARGET_NOT_FOUND, failure.code());
    assertNull(failure.members().get("backing"));
  }

  /** B01, B03: everything stays as it is while an initiator is logged in. */
  @Test
  void refusesWhileAnInitiatorIsLoggedIn() {
    make("a");
    room.tgtd.login(iqn("a"), "iqn.host:boot");
    String before = room.tgtd.describe(iqn("a"));
    var failure = failure(room.delete("iqn", iqn("a"), "delete_file", "true"));
    assertEquals(ErrorCode.TARGET_IN_USE, failure.code());
    assertEquals(List.of("iqn.host:boot"), failure.members().get("initiators"));
    assertEquals(before, room.tgtd.describe(iqn("a")));
    assertEquals(List.of("a.img"), room.files());
    room.tgtd.logout(iqn("a"));
    room.delete("iqn", iqn("a"), "delete_file", "true").await();
    assertEquals(List.of(), room.files());
  }

  @Test
  void endsSessionsWithForce() {
    make("a");
    room.tgtd.login(iqn("a"), "iqn.host:boot");
    room.delete("iqn", iqn("a"), "force", "true").await();
    assertEquals(List.of(), room.tgtd.names());
    assertEquals(List.of("a.img"), room.files());
  }

  @Test
  void endsSessionsWhenTheSettingSaysSo(Vertx vertx) {
    room.undeploy().await();
    room.deletingInUse().open();
    make("a");
    room.tgtd.login(iqn("a"), "iqn.host:boot");
    room.delete("iqn", iqn("a")).await();
    assertEquals(List.of(), room.tgtd.names());
  }

  /** B12: one file, two targets. */
  @Test
  void keepsAFileThatAnotherTargetUses() {
    room.file("x.iso", 4096);
    room.cd("iso", "x.iso").await();
    room.cd("iso", "x.iso", "iqn", iqn("second")).await();
    var failure = failure(room.delete("iqn", iqn("x.iso"), "delete_file", "true"));
    assertEquals(ErrorCode.BACKING_IN_USE, failure.code());
    assertEquals(List.of(iqn("x.iso"), iqn("second")), room.names());
    room.delete("iqn", iqn("x.iso")).await();
    room.delete("iqn", iqn("second"), "delete_file", "true").await();
    assertEquals(List.of(), room.files());
  }

  @Test
  void keepsAFileThatOthersTargetUsesUnderAnotherPath(@TempDir Path elsewhere) throws IOException {
    make("a");
    room.tgtd.with(77, "iqn.2020-01.org.other:x", room.images + "/./a.img");
    var failure = failure(room.delete("iqn", iqn("a"), "delete_file", "true"));
    assertEquals(ErrorCode.BACKING_IN_USE, failure.code());
    assertEquals(List.of("a.img"), room.files());
  }

  @Test
  void keepsAFileOutsideTheImageDirectory(@TempDir Path elsewhere) throws IOException {
    Path foreign = Files.createFile(elsewhere.resolve("a.img"));
    room.tgtd.with(3, iqn("a"), foreign.toString());
    var failure = failure(room.delete("iqn", iqn("a"), "delete_file", "true", "force", "true"));
    assertEquals(ErrorCode.BACKING_PROTECTED, failure.code());
    assertTrue(Files.exists(foreign));
    assertEquals(List.of(iqn("a")), room.tgtd.names());
    room.delete("iqn", iqn("a")).await();
  }

  @Test
  void keepsAMasterUnlessForced() {
    room.disk("iqn", iqn("a"), "size", "1M", "filename", "_tpl_new.img").await();
    var failure = failure(room.delete("iqn", iqn("a"), "delete_file", "true"));
    assertEquals(ErrorCode.BACKING_PROTECTED, failure.code());
    assertEquals(List.of(iqn("a")), room.tgtd.names());
    room.delete("iqn", iqn("a"), "delete_file", "true", "force", "true").await();
    assertEquals(List.of(), room.files());
  }

  /** B57: a link in the file's place is nobody's to remove but an operator's. */
  @Test
  void keepsALink(@TempDir Path elsewhere) throws IOException {
    Path foreign = Files.createFile(elsewhere.resolve("secret"));
    Path link = Files.createSymbolicLink(room.images.resolve("a.img"), foreign);
    room.tgtd.with(3, iqn("a"), link.toString());
    var failure = failure(room.delete("iqn", iqn("a"), "delete_file", "true", "force", "true"));
    assertEquals(ErrorCode.BACKING_PROTECTED, failure.code());
    assertTrue(Files.isSymbolicLink(link));
    assertTrue(Files.exists(foreign));
    assertEquals(List.of(iqn("a")), room.tgtd.names());
    Files.delete(link);
  }

  @Test
  void removesATargetWhoseFileIsGone() throws IOException {
    make("a");
    Files.delete(room.images.resolve("a.img"));
    assertEquals(
        new Deleted(iqn("a"), true), room.delete("iqn", iqn("a"), "delete_file", "1").await());
  }

  @Test
  void removesAllDisksOfATargetMadeByOthers() {
    Path one = room.file("one.img", 512);
    Path two = room.file("two.img", 512);
    room.tgtd.with(3, iqn("a"), one.toString(), two.toString());
    room.delete("iqn", iqn("a"), "delete_file", "true").await();
    assertEquals(List.of(), room.files());
  }

  @Test
  void removesATargetThatItsMakerSpelledInUpperCase() {
    room.tgtd.with(3, "IQN.2026-07.com.Controller:A");
    room.delete("iqn", iqn("a")).await();
    assertEquals(List.of(), room.tgtd.names());
  }

  /** B15: the target is gone, its file is not; with force it goes too. */
  @Test
  void namesTheFileThatATargetLeft() {
    make("a");
    room.delete("iqn", iqn("a")).await();
    var failure = failure(room.delete("iqn", iqn("a"), "delete_file", "true"));
    assertEquals(ErrorCode.TARGET_NOT_FOUND, failure.code());
    assertEquals(room.images.resolve("a.img").toString(), failure.members().get("backing"));
    room.delete("iqn", iqn("a"), "delete_file", "true", "force", "true").await();
    assertEquals(List.of(), room.files());
    assertEquals(List.of(), room.scan().await().created());
  }

  @Test
  void findsTheFileThatATargetLeftByWhatIsRecorded() {
    room.disk("iqn", iqn("a"), "size", "1M", "filename", "Other.img").await();
    room.delete("iqn", iqn("a")).await();
    var byName = failure(room.delete("iqn", iqn("other"), "delete_file", "1", "force", "1"));
    assertNull(byName.members().get("backing"));
    room.delete("iqn", iqn("a"), "delete_file", "true", "force", "true").await();
    assertEquals(List.of(), room.files());
  }

  @Test
  void findsTheIsoThatATargetLeft() {
    room.file("Deb.ISO", 4096);
    var failure = failure(room.delete("iqn", iqn("deb.iso")));
    assertEquals(room.images.resolve("Deb.ISO").toString(), failure.members().get("backing"));
  }

  @Test
  void keepsALeftFileThatAnotherTargetUses() {
    Path file = room.file("a.img", 512);
    room.tgtd.with(3, "iqn.2020-01.org.other:x", file.toString());
    var failure = failure(room.delete("iqn", iqn("a"), "delete_file", "true", "force", "true"));
    assertEquals(ErrorCode.BACKING_IN_USE, failure.code());
    assertEquals(List.of("a.img"), room.files());
  }

  /** B07, B35: no file goes because a listing showed nothing. */
  @Test
  void keepsTheFileWhenTheDaemonCannotBeAsked() {
    make("a");
    room.tgtd.daemonDown();
    var failure = failure(room.delete("iqn", iqn("a"), "delete_file", "true", "force", "true"));
    assertEquals(ErrorCode.BACKEND_UNAVAILABLE, failure.code());
    room.tgtd.restartDaemon();
    failure = failure(room.delete("iqn", iqn("a"), "delete_file", "true", "force", "true"));
    assertEquals(ErrorCode.RECOVERING, failure.code());
    assertEquals(List.of("a.img"), room.files());
  }

  @Test
  void doesNotSayNotFoundWhenTheOutputWasLost() {
    make("a");
    room.tgtd.loseOutput("target --op show");
    room.delete("iqn", iqn("a"), "delete_file", "true").await();
    assertEquals(List.of(), room.files());
  }

  @Test
  void bringsTheTargetBackWhenItsDeletionCouldNotBeLogged() {
    make("a");
    room.audit.failing = true;
    assertEquals(ErrorCode.AUDIT_FAILED, failure(room.delete("iqn", iqn("a"))).code());
    assertEquals("{1=" + room.images.resolve("a.img") + "} open", room.tgtd.describe(iqn("a")));
  }

  @Test
  void changesNothingWhenTheLogCannotBeWritten() {
    make("a");
    room.audit.unavailable = true;
    AgentException failure = failure(room.delete("iqn", iqn("a"), "delete_file", "true"));
    assertEquals(ErrorCode.AUDIT_UNAVAILABLE, failure.code());
    assertEquals(List.of(iqn("a")), room.tgtd.names());
  }

  /** B12: a CD that is being mounted and a deletion of its file do not pass each other. */
  @Test
  void waitsForAMountOfTheSameFile() {
    room.file("x.iso", 4096);
    room.cd("iso", "x.iso").await();
    Promise<Void> gate = room.tgtd.hold("--targetname " + iqn("second"));
    var mount = room.cd("iso", "x.iso", "iqn", iqn("second"));
    var delete = room.delete("iqn", iqn("x.iso"), "delete_file", "true");
    gate.complete();
    mount.await();
    assertEquals(ErrorCode.BACKING_IN_USE, failure(delete).code());
    assertEquals(List.of("x.iso"), room.files());
  }

  @Test
  void sharesListingsAmongManyDeletions() {
    for (int i = 0; i < 30; i++) {
      make("d" + i);
    }
    long before = room.tgtd.count("target --op show");
    List<Future<Deleted>> all = new ArrayList<>();
    for (int i = 0; i < 30; i++) {
      all.add(room.delete("iqn", iqn("d" + i), "delete_file", "true"));
    }
    Future.all(all).await();
    assertEquals(List.of(), room.files());
    assertTrue(room.tgtd.count("target --op show") - before <= 5);
  }

  private void make(String suffix) {
    room.disk("iqn", iqn(suffix), "size", "1M").await();
  }
}
