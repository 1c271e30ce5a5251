package io.incudal.agent.lun;

import static io.incudal.agent.lun.LunRoom.failure;
import static io.incudal.agent.lun.LunRoom.iqn;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.incudal.agent.bus.AgentException;
import io.incudal.agent.bus.ErrorCode;
import io.incudal.agent.lun.LunMessages.Exported;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.junit5.VertxExtension;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.UserDefinedFileAttributeView;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@ExtendWith(VertxExtension.class)
class CreateDiskTest {
  private LunRoom room;

  @BeforeEach
  void open(Vertx vertx, @TempDir Path images) {
    room = new LunRoom(vertx, images).open();
    room.audit.lines.clear();
  }

  @Test
  void makesAnEmptyDisk() throws IOException {
    Exported made = room.disk("iqn", iqn("Worker-99.Ubuntu"), "size", "20G").await();
    Path file = room.images.resolve("worker-99.ubuntu.img");
    assertEquals(new Exported(iqn("worker-99.ubuntu"), file.toString()), made);
    assertEquals(20L << 30, Files.size(file));
    assertEquals("{1=" + file + "} open", room.tgtd.describe(iqn("worker-99.ubuntu")));
    assertEquals(List.of(iqn("worker-99.ubuntu")), room.names());
  }

  @Test
  void clonesAMaster() throws IOException {
    Path master = room.file("_tpl_debian.img", 1 << 20);
    Files.write(master, "boot".repeat(128).getBytes(), StandardOpenOption.WRITE);
    room.disk("iqn", iqn("w"), "master", "_tpl_debian.img", "size", "rubbish").await();
    assertEquals(-1, Files.mismatch(master, room.images.resolve("w.img")));
  }

  @Test
  void logsWhatWasSent() {
    room.disk("iqn", iqn("A"), "size", "1M").await();
    var line = room.audit.lines.get(0);
    assertEquals("disk", line.op());
    assertEquals(List.of("iqn", "master", "size", "filename"), List.copyOf(line.req().keySet()));
    assertEquals(iqn("A"), line.req().get("iqn"));
    assertEquals("1M", line.req().get("size"));
    assertEquals(Optional.empty(), line.error());
    assertEquals("10.1.2.3", line.caller().client());
  }

  /** B04, B21: the same name in any case is one target. */
  @Test
  void refusesATargetThatExists() {
    room.disk("iqn", iqn("a"), "size", "1M").await();
    var failure = failure(room.disk("iqn", iqn("A"), "size", "1M", "filename", "other.img"));
    assertEquals(ErrorCode.TARGET_EXISTS, failure.code());
    assertEquals(List.of("a.img"), room.files());
    assertEquals(1, room.audit.count("disk", false));
  }

  @Test
  void refusesABackingFileThatExistsInAnyCase() {
    room.file("Other.IMG", 512);
    var failure = failure(room.disk("iqn", iqn("a"), "size", "1M", "filename", "other.img"));
    assertEquals(ErrorCode.BACKING_EXISTS, failure.code());
    assertEquals(List.of(), room.tgtd.names());
  }

  /** B54: the master is looked for on the disk, whatever a list of masters still shows. */
  @Test
  void looksAtTheTargetThenTheFileThenTheMaster() {
    room.disk("iqn", iqn("a"), "size", "1M").await();
    assertEquals(
        ErrorCode.TARGET_EXISTS, failure(room.disk("iqn", iqn("a"), "master", "none")).code());
    room.file("b.img", 512);
    assertEquals(
        ErrorCode.BACKING_EXISTS, failure(room.disk("iqn", iqn("b"), "master", "none")).code());
    assertEquals(
        ErrorCode.MASTER_NOT_FOUND, failure(room.disk("iqn", iqn("c"), "master", "none")).code());
  }

  @Test
  void refusesAMasterThatCannotBeADisk() {
    room.file("_tpl_empty.img", 0);
    room.file("_tpl_odd.img", 1000);
    for (String master : List.of("_tpl_empty.img", "_tpl_odd.img")) {
      var failure = failure(room.disk("iqn", iqn("a"), "master", master));
      assertEquals(ErrorCode.INVALID_MASTER, failure.code());
    }
    assertEquals(List.of("_tpl_empty.img", "_tpl_odd.img"), room.files());
  }

  @Test
  void namesWhatIsMissing() {
    assertEquals(ErrorCode.MISSING_FIELD, failure(room.disk("size", "1M")).code());
    assertEquals(ErrorCode.MISSING_FIELD, failure(room.disk("iqn", "", "size", "1M")).code());
    assertEquals(ErrorCode.MISSING_FIELD, failure(room.disk("iqn", iqn("a"))).code());
    var failure = failure(room.disk("iqn", iqn("a"), "size", "", "master", ""));
    assertEquals(ErrorCode.MISSING_FIELD, failure.code());
    assertEquals(ErrorCode.INVALID_FIELD, failure(room.disk("iqn", 7, "size", "1M")).code());
    assertEquals(ErrorCode.INVALID_FIELD, failure(room.disk("iqn", iqn("a"), "size", 5)).code());
    assertEquals(6, room.audit.count("disk", false));
  }

  /** B57, B05: nothing is made under a name that no back end takes, or that leads elsewhere. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "../x.img",
        "/etc/x.img",
        "a/../x.img",
        ".x.img",
        "..",
        "x\0.img",
        "x\n.img",
        "x,y.img",
        "x.raw",
        "x"
      })
  void refusesFileNames(String filename) {
    var failure = failure(room.disk("iqn", iqn("a"), "size", "1M", "filename", filename));
    assertEquals(ErrorCode.INVALID_FILENAME, failure.code());
    assertEquals(List.of(), room.files());
  }

  @ParameterizedTest
  @ValueSource(strings = {"a_b", "a b", "é", "", ".hidden", "..", "a/b"})
  void refusesIqnsBeforeAnythingIsMade(String suffix) {
    ErrorCode code = failure(room.disk("iqn", iqn(suffix), "size", "1M")).code();
    assertTrue(code == ErrorCode.INVALID_IQN || code == ErrorCode.INVALID_FILENAME, code.word());
    assertEquals(List.of(), room.files());
    assertEquals(List.of(), room.tgtd.names());
  }

  @Test
  void namesTheExpectedPrefix() {
    var failure = failure(room.disk("iqn", "iqn.2020-01.org.other:a", "size", "1M"));
    assertEquals(ErrorCode.IQN_BASE_MISMATCH, failure.code());
    assertEquals(LunRoom.BASE + ":", failure.members().get("expected_prefix"));
  }

  @Test
  void removesTheFileWhenTheDaemonRefuses() {
    room.tgtd.answer("logicalunit", 22, "tgtadm: out of memory\n");
    AgentException failure = failure(room.disk("iqn", iqn("a"), "size", "1M"));
    assertEquals(ErrorCode.COMMAND_FAILED, failure.code());
    assertEquals(List.of(), room.files());
    assertEquals(List.of(), room.tgtd.names());
    assertEquals(List.of("disk failed: " + failure.getMessage()), room.audit.summary());
    room.disk("iqn", iqn("a"), "size", "1M").await();
  }

  /** B37: one failed line, no file, no target; and the same again works. */
  @Test
  void leavesNothingWhenTheCommandTookEffectTooLate() {
    room.tgtd.cutAfter("--targetname");
    assertEquals(
        ErrorCode.COMMAND_TIMEOUT, failure(room.disk("iqn", iqn("a"), "size", "1M")).code());
    assertEquals(List.of(), room.files());
    assertEquals(List.of(), room.tgtd.names());
    assertEquals(1, room.audit.lines.size());
    room.disk("iqn", iqn("a"), "size", "1M").await();
  }

  /** B42: a container that is paused, restarting or gone. */
  @Test
  void leavesNothingWhenTheContainerIsDown() {
    room.tgtd.containerDown();
    assertEquals(
        ErrorCode.CONTAINER_UNAVAILABLE, failure(room.disk("iqn", iqn("a"), "size", "1M")).code());
    assertEquals(List.of(), room.files());
    assertEquals(1, room.audit.count("disk", false));
    room.tgtd.unpause();
    room.disk("iqn", iqn("a"), "size", "1M").await();
  }

  /** B43: the daemon does not see the file. */
  @Test
  void hintsAtTheMount() {
    room.tgtd.files(path -> false);
    var failure = failure(room.disk("iqn", iqn("a"), "size", "1M"));
    assertTrue(failure.getMessage().contains("mounted in the iSCSI container"));
    assertEquals(List.of(), room.files());
  }

  @Test
  void undoesATargetMadeBehindItsBack() {
    room.tgtd.with(9, iqn("a"), "/elsewhere/x.img");
    assertEquals(ErrorCode.TARGET_EXISTS, failure(room.disk("iqn", iqn("a"), "size", "1M")).code());
    assertEquals(List.of(), room.files());
    assertEquals("{1=/elsewhere/x.img} open", room.tgtd.describe(iqn("a")));
  }

  @Test
  void startsNothingWhenTheLogCannotBeWritten() {
    room.audit.unavailable = true;
    assertEquals(
        ErrorCode.AUDIT_UNAVAILABLE, failure(room.disk("iqn", iqn("a"), "size", "1M")).code());
    assertEquals(List.of(), room.files());
    assertEquals(List.of(), room.tgtd.names());
  }

  @Test
  void undoesADiskThatCouldNotBeLogged() {
    room.audit.failing = true;
    assertEquals(ErrorCode.AUDIT_FAILED, failure(room.disk("iqn", iqn("a"), "size", "1M")).code());
    assertEquals(List.of(), room.files());
    assertEquals(List.of(), room.tgtd.names());
  }

  /** B64: of many that want the same, one gets it, and its file stays. */
  @Test
  void letsOneOfManyIdenticalRequestsWin() {
    for (int round = 0; round < 5; round++) {
      String iqn = iqn("race" + round);
      List<Future<Exported>> all = new ArrayList<>();
      for (int i = 0; i < 10; i++) {
        all.add(room.disk("iqn", iqn, "size", "1M"));
      }
      Future.join(all).transform(done -> Future.succeededFuture()).await();
      assertEquals(1, all.stream().filter(Future::succeeded).count());
      all.stream()
          .filter(Future::failed)
          .forEach(f -> assertEquals(ErrorCode.TARGET_EXISTS, failure(f).code()));
      assertTrue(Files.exists(room.images.resolve("race" + round + ".img")));
    }
    assertEquals(5, room.audit.count("disk", true));
    assertEquals(45, room.audit.count("disk", false));
    assertEquals(5, room.names().size());
  }

  @Test
  void letsOneOfTwoTargetsHaveAFile() {
    Future<Exported> a = room.disk("iqn", iqn("a"), "size", "1M", "filename", "Shared.img");
    Future<Exported> b = room.disk("iqn", iqn("b"), "size", "2M", "filename", "shared.IMG");
    a.await();
    assertEquals(ErrorCode.BACKING_EXISTS, failure(b).code());
    assertEquals(List.of("Shared.img"), room.files());
  }

  /** B10: names and numbers keep together. */
  @Test
  void makesManyDisksSideBySide() {
    List<Future<Exported>> all = new ArrayList<>();
    for (int i = 0; i < 20; i++) {
      all.add(room.disk("iqn", iqn("d" + i), "size", "1M"));
    }
    Future.all(all).await();
    assertEquals(20, new HashSet<>(room.tgtd.tids()).size());
    for (int i = 0; i < 20; i++) {
      Path file = room.images.resolve("d" + i + ".img");
      assertEquals("{1=" + file + "} open", room.tgtd.describe(iqn("d" + i)));
    }
  }

  /** B67: one target's slow command holds up nobody else, and its own next one waits. */
  @Test
  void holdsUpOnlyItsOwnTarget() {
    Promise<Void> gate = room.tgtd.hold("--targetname " + iqn("slow"));
    Future<Exported> slow = room.disk("iqn", iqn("slow"), "size", "1M");
    var next = room.delete("iqn", iqn("slow"), "delete_file", "true");
    room.disk("iqn", iqn("quick"), "size", "1M").await();
    assertEquals(List.of(iqn("quick")), room.names());
    gate.complete();
    slow.await();
    next.await();
    assertEquals(List.of("quick.img"), room.files());
  }

  @Test
  void keepsTheIqnWithAFileOfAnotherName() throws IOException {
    room.disk("iqn", iqn("a"), "size", "1M", "filename", "Disk-7.img").await();
    room.disk("iqn", iqn("b"), "size", "1M", "filename", "B.img").await();
    assertEquals(Optional.of(iqn("a")), recorded("Disk-7.img"));
    assertEquals(Optional.empty(), recorded("B.img"));
  }

  private Optional<String> recorded(String file) throws IOException {
    var attributes =
        Files.getFileAttributeView(room.images.resolve(file), UserDefinedFileAttributeView.class);
    if (!attributes.list().contains("incudal.iqn")) {
      return Optional.empty();
    }
    var value = ByteBuffer.allocate(attributes.size("incudal.iqn"));
    attributes.read("incudal.iqn", value);
    return Optional.of(new String(value.array()).strip());
  }
}
