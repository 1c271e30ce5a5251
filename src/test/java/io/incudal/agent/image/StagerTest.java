package io.incudal.agent.image;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.incudal.agent.bus.AgentException;
import io.incudal.agent.bus.ErrorCode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.slf4j.LoggerFactory;

/** Clones on whatever file system the build has, with calls that fail as told. */
class StagerTest {
  private static final long MIB = 1 << 20;
  private static final Stager.Order ORDER =
      new Stager.Order(ImageName.parse("disk.img"), Optional.empty());

  @TempDir Path temp;
  private final FaultyFiles natives = new FaultyFiles();
  private final List<String> cloned = new ArrayList<>();
  private Stager stager;
  private ImageFile master;

  @BeforeEach
  void makeMaster() throws IOException {
    stager = stager(natives);
    master = Masters.sparse(temp, "m_tpl_.img", 64 * MIB + 512, 3 * MIB, 7 * MIB, 40 * MIB);
  }

  @ParameterizedTest(name = "errno {0}")
  @ValueSource(
      ints = {
        NativeFailure.EAGAIN,
        NativeFailure.EINVAL,
        NativeFailure.EXDEV,
        NativeFailure.EOPNOTSUPP,
        NativeFailure.ENOTTY,
        NativeFailure.ENOSYS,
        NativeFailure.EPERM
      })
  void copiesWhenTheReflinkIsRefused(int errno) throws IOException { // B45
    natives.failing("FICLONE", errno);
    assertTrue(stager.reflink(master, ORDER).isEmpty());
    assertNothingStaged();
    assertFaithful(stager.copy(master, ORDER, () -> false));
    assertEquals(List.of("COPY " + master.size()), cloned);
  }

  @ParameterizedTest(name = "errno {0}")
  @ValueSource(ints = {NativeFailure.ENOSPC, NativeFailure.EIO, NativeFailure.EDQUOT})
  void failsWhenTheReflinkFailsForGood(int errno) throws IOException { // B45
    natives.failing("FICLONE", errno);
    var failure = assertThrows(NativeFailure.class, () -> stager.reflink(master, ORDER));
    assertEquals(errno, failure.errno());
    assertNothingStaged();
  }

  @ParameterizedTest(name = "{0} bytes")
  @ValueSource(longs = {0, 512, 64 * MIB})
  void copiesWhenTheReflinkIsShort(long bytes) throws IOException { // B44
    stager = stager(new ShortReflinks(bytes));
    assertTrue(stager.reflink(master, ORDER).isEmpty());
    assertNothingStaged();
    assertFaithful(stager.copy(master, ORDER, () -> false));
  }

  @Test
  void tellsOfAReflink() throws IOException {
    stager = stager(new ShortReflinks(master.size()));
    assertTrue(stager.reflink(master, ORDER).isPresent());
    assertEquals(List.of("REFLINK " + master.size()), cloned);
  }

  @Test
  void copiesInTheKernelInPieces() throws IOException {
    natives.copyingAtMost(5000);
    assertFaithful(stager.copy(master, ORDER, () -> false));
  }

  @ParameterizedTest(name = "after {0} good calls")
  @ValueSource(ints = {0, 1, 100})
  void goesOnThroughABufferWhenTheKernelStopsCopying(int healthy) throws IOException {
    natives
        .failing("copy_file_range", NativeFailure.EXDEV)
        .afterCopies(healthy)
        .copyingAtMost(7777);
    assertFaithful(stager.copy(master, ORDER, () -> false));
  }

  @Test
  void goesOnThroughABufferWhenTheKernelCopiesNothing() throws IOException {
    natives.copyingAtMost(0);
    assertFaithful(stager.copy(master, ORDER, () -> false));
  }

  @ParameterizedTest
  @ValueSource(strings = {"SEEK_DATA", "SEEK_HOLE", "open", "ftruncate"})
  void findsHolesByTheirZerosWhenACallIsMissing(String call) throws IOException { // B47
    natives.failing(call, NativeFailure.EINVAL);
    assertFaithful(stager.copy(master, ORDER, () -> false));
  }

  @Test
  void needsNoNativeCallAtAll() throws IOException { // B47
    stager = stager(NativeFiles.NONE);
    assertTrue(stager.reflink(master, ORDER).isEmpty());
    var staged = stager.copy(master, ORDER, () -> false);
    assertFaithful(staged);
    assertEquals("disk.img", stager.publish(staged).name().value());
  }

  @ParameterizedTest(name = "errno {0}")
  @ValueSource(ints = {NativeFailure.ENOSPC, NativeFailure.EIO, NativeFailure.EDQUOT})
  void leavesNothingWhenACopyFails(int errno) throws IOException { // B48
    natives.failing("copy_file_range", errno).afterCopies(1);
    assertThrows(NativeFailure.class, () -> stager.copy(master, ORDER, () -> false));
    assertNothingStaged();
    assertTrue(cloned.isEmpty());
  }

  @Test
  void leavesNothingWhenACopyIsCancelled() throws IOException {
    var failure = assertThrows(AgentException.class, () -> stager.copy(master, ORDER, () -> true));
    assertEquals(ErrorCode.STOPPING, failure.code());
    assertNothingStaged();
  }

  @Test
  void leavesNothingWhenACopyIsCancelledHalfWay() throws IOException {
    natives.copyingAtMost(4096);
    var asked = new AtomicInteger();
    var failure =
        assertThrows(
            AgentException.class,
            () -> stager.copy(master, ORDER, () -> asked.incrementAndGet() > 50));
    assertEquals(ErrorCode.STOPPING, failure.code());
    assertNothingStaged();
  }

  @Test
  void copiesAMasterOfHolesOnly() throws IOException {
    master = Masters.sparse(temp, "holes_tpl_.img", 40 * MIB);
    assertFaithful(stager.copy(master, ORDER, () -> false));
  }

  @Test
  void failsWhenTheMasterIsGone() throws IOException { // B54
    Files.delete(master.path());
    assertRefused(ErrorCode.MASTER_NOT_FOUND);
  }

  @Test
  void failsWhenTheMasterHasBecomeASymbolicLink() throws IOException { // B57
    Path real = Files.move(master.path(), temp.resolve("elsewhere"));
    Files.createSymbolicLink(master.path(), real);
    assertRefused(ErrorCode.MASTER_NOT_FOUND);
  }

  @ParameterizedTest(name = "{0} bytes")
  @ValueSource(ints = {0, 511, 513})
  void failsWhenTheMasterHasNoWholeBlocks(int length) throws IOException {
    Files.write(master.path(), new byte[length]);
    assertRefused(ErrorCode.INVALID_MASTER);
  }

  @Test
  void warnsOfFullCopiesOnce() throws IOException { // B50
    natives.failing("FICLONE", NativeFailure.EOPNOTSUPP);
    ListAppender<ILoggingEvent> log = new ListAppender<>();
    log.start();
    var logger = (Logger) LoggerFactory.getLogger(Stager.class);
    logger.addAppender(log);
    try {
      stager.reflink(master, ORDER);
      stager.reflink(master, ORDER);
    } finally {
      logger.detachAppender(log);
    }
    assertEquals(1, log.list.size());
    assertTrue(log.list.get(0).getFormattedMessage().contains("fs_type="));
  }

  @Test
  void makesAnEmptyImageOfExactlyTheLength() throws IOException { // B51
    var staged = stager.empty(20L << 30, ORDER);
    assertEquals(20L << 30, Files.size(staged.temporary()));
  }

  @Test
  void makesAnEmptyImageWithoutNativeCalls() throws IOException { // B51
    var staged = stager(NativeFiles.NONE).empty(20L << 30, ORDER);
    assertEquals(20L << 30, Files.size(staged.temporary()));
  }

  @Test
  void publishesOnlyWhereNothingIs() throws IOException { // B64
    var first = stager.empty(512, ORDER);
    var second = stager.empty(1024, ORDER);
    assertEquals(512, stager.publish(first).size());
    var failure = assertThrows(AgentException.class, () -> stager.publish(second));
    assertEquals(ErrorCode.BACKING_EXISTS, failure.code());
    assertEquals(512, Files.size(temp.resolve("disk.img")));
    assertTrue(Files.exists(second.temporary()));
  }

  @Test
  void publishesByALinkWhereTheKernelCannotRename() throws IOException {
    natives.failing("renameat2", NativeFailure.EINVAL);
    var first = stager.empty(512, ORDER);
    var second = stager.empty(1024, ORDER);
    assertEquals(512, stager.publish(first).size());
    assertFalse(Files.exists(first.temporary()));
    var failure = assertThrows(AgentException.class, () -> stager.publish(second));
    assertEquals(ErrorCode.BACKING_EXISTS, failure.code());
    assertEquals(512, Files.size(temp.resolve("disk.img")));
  }

  @Test
  void sweepsWhatAnotherProcessLeftAndNothingElse() throws IOException { // B48
    var mine = stager.empty(512, ORDER).temporary();
    var left = stager(natives).empty(512, ORDER).temporary();
    Path stranger = Files.createFile(temp.resolve(".incudal-notes"));
    Path named = Files.createFile(temp.resolve("x.part"));
    assertEquals(1, stager.sweep());
    assertFalse(Files.exists(left));
    assertTrue(Files.exists(mine));
    assertTrue(Files.exists(stranger));
    assertTrue(Files.exists(named));
    assertTrue(Files.exists(master.path()));
  }

  private Stager stager(NativeFiles calls) {
    return new Stager(
        new ImageDirectory(temp),
        () -> calls,
        (mode, bytes, took) -> cloned.add(mode + " " + bytes),
        System::nanoTime);
  }

  private void assertRefused(ErrorCode code) throws IOException {
    var quick = assertThrows(AgentException.class, () -> stager.reflink(master, ORDER));
    assertEquals(code, quick.code());
    var slow = assertThrows(AgentException.class, () -> stager.copy(master, ORDER, () -> false));
    assertEquals(code, slow.code());
    assertNothingStaged();
  }

  private void assertFaithful(StagedImage staged) throws IOException {
    assertEquals(-1, Files.mismatch(master.path(), staged.temporary()));
    try (var disk = OpenFile.read(LinuxFiles.get(), staged.temporary());
        var probe = OpenFile.create(LinuxFiles.get(), temp.resolve("probe"))) {
      probe.extendTo(1 << 20);
      var map = DataMap.of(disk, probe);
      if (map.knowsHoles()) {
        assertTrue(map.dataBytes() <= 3L * Masters.PIECE + 3 * 4096, "holes were written out");
      }
    }
  }

  private void assertNothingStaged() throws IOException {
    try (var entries = Files.list(temp)) {
      assertEquals(0, entries.filter(e -> e.getFileName().toString().startsWith(".")).count());
    }
  }
}
