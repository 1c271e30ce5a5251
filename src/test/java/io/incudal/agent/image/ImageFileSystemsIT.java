package io.incudal.agent.image;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTimeout;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.incudal.agent.bus.AgentException;
import io.incudal.agent.bus.ErrorCode;
import io.incudal.agent.testing.LoopFs;
import io.incudal.agent.testing.LoopFs.Kind;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.EnumSource.Mode;

/** The image store's rules on real file systems, each mounted for the test. */
class ImageFileSystemsIT {
  private static final long MIB = 1 << 20;
  private static final long GIB = 1 << 30;
  private static final Stager.Order ORDER =
      new Stager.Order(ImageName.parse("disk.img"), Optional.of("iqn.x:own"));

  private final AtomicReference<CloneMode> mode = new AtomicReference<>();

  @ParameterizedTest
  @EnumSource(Kind.class)
  void clonesAHugeSparseMasterWithoutWritingItsHoles(Kind kind) throws IOException { // B47
    try (var fs = LoopFs.mount(kind, 400)) {
      ImageFile master = hugeMaster(fs);
      ImageFile disk = publishedClone(stager(fs, LinuxFiles.get()), master);
      assertEquals(expected(kind), mode.get());
      assertEquals(master.size(), disk.size());
      assertEquals(List.of("iqn.x:own"), disk.iqns());
      assertSameData(master.path(), disk.path());
      assertTrue(allocated(disk.path()) <= 3 * MIB, "holes were written out");
    }
  }

  @ParameterizedTest
  @EnumSource(Kind.class)
  void copiesASparseMasterWithoutNativeCalls(Kind kind) throws IOException { // B47
    try (var fs = LoopFs.mount(kind, 400)) {
      ImageFile master =
          Masters.sparse(fs.directory(), "m_tpl_.img", 2 * GIB, 0, 700 * MIB, 2 * GIB - 512);
      ImageFile disk = publishedClone(stager(fs, NativeFiles.NONE), master);
      assertEquals(CloneMode.COPY, mode.get());
      assertSameData(master.path(), disk.path());
      assertTrue(allocated(disk.path()) <= 3 * MIB, "holes were written out");
    }
  }

  @ParameterizedTest
  @EnumSource(Kind.class)
  void makesAnEmptyDiskLargerThanTheFileSystem(Kind kind) throws IOException { // B51
    try (var fs = LoopFs.mount(kind, 400)) {
      var stager = stager(fs, LinuxFiles.get());
      ImageFile disk = stager.publish(stager.empty(20 * GIB, ORDER));
      assertEquals(20 * GIB, disk.size());
      assertEquals(0, allocated(disk.path()));
    }
  }

  @ParameterizedTest
  @EnumSource(names = {"EXT4", "TMPFS", "XFS_WITHOUT_REFLINK"})
  void leavesNothingWhenTheDiskFillsDuringACopy(Kind kind) throws IOException { // B48
    try (var fs = LoopFs.mount(kind, 320)) {
      ImageFile master = solidMaster(fs, 200);
      // Without native calls the space that is needed is not known before.
      var stager = stager(fs, NativeFiles.NONE);
      long free = free(fs);
      var failure = assertThrows(IOException.class, () -> stager.copy(master, ORDER, () -> false));
      assertEquals(
          "copying failed: the image directory has no space left; remove disks or enlarge it",
          FileFailures.translate(failure, "copying").getMessage());
      assertTrue(new ImageDirectory(fs.directory()).entries().size() <= 2); // And lost+found.
      assertTrue(Math.abs(free - free(fs)) < 4 * MIB, "space was not given back");
    }
  }

  @ParameterizedTest
  @EnumSource(names = {"EXT4", "TMPFS", "XFS_WITHOUT_REFLINK"})
  void doesNotBeginACopyThatCannotFit(Kind kind) throws IOException { // B48
    try (var fs = LoopFs.mount(kind, 320)) {
      ImageFile master = solidMaster(fs, 200);
      var stager = stager(fs, LinuxFiles.get());
      var failure =
          assertThrows(AgentException.class, () -> stager.copy(master, ORDER, () -> false));
      assertEquals(ErrorCode.NO_SPACE, failure.code());
      Files.delete(master.path());
      ImageFile smaller = solidMaster(fs, 100);
      assertSameData(smaller.path(), publishedClone(stager, smaller).path());
    }
  }

  @ParameterizedTest
  @EnumSource(mode = Mode.EXCLUDE, names = "XFS_WITHOUT_REFLINK")
  void looksAndFailsClearlyOnAReadOnlyFileSystem(Kind kind) throws IOException { // B13
    try (var fs = LoopFs.mount(kind, 400)) {
      var directory = new ImageDirectory(fs.directory());
      ImageFile iso = Masters.sparse(fs.directory(), "cd.iso", MIB);
      fs.remountReadOnly();
      directory.changeIqns(iso.name(), known -> List.of("iqn.x:cd"));
      assertEquals(List.of(iso), directory.images(ImageName::isIso));
      var stager = stager(fs, LinuxFiles.get());
      var failure = assertThrows(IOException.class, () -> stager.empty(512, ORDER));
      assertTrue(
          FileFailures.translate(failure, "making")
              .getMessage()
              .startsWith("making failed: the image directory is read-only"));
    }
  }

  @Test
  void looksThroughTwentyThousandFilesInAMoment() throws IOException { // B68
    try (var fs = LoopFs.mount(Kind.TMPFS, 100)) {
      for (int i = 0; i < 20_000; i++) {
        Files.createFile(fs.directory().resolve("disk-" + i + ".img"));
      }
      Masters.sparse(fs.directory(), "m_tpl_.img", MIB);
      var directory = new ImageDirectory(fs.directory());
      assertTimeout(
          Duration.ofSeconds(2),
          () -> {
            for (int i = 0; i < 10; i++) {
              assertTrue(directory.findSameFolded(ImageName.parse("none.img")).isEmpty());
              assertEquals(1, MastersCache.read(directory).masters().size());
            }
          });
    }
  }

  @ParameterizedTest
  @EnumSource(Kind.class)
  void namesTheFileSystemAsTheKernelDoes(Kind kind) throws IOException {
    try (var fs = LoopFs.mount(kind, 400)) {
      String type = ImageFileSystem.of(fs.directory()).type();
      assertEquals(kind == Kind.XFS_WITHOUT_REFLINK ? "xfs" : kind.name().toLowerCase(), type);
    }
  }

  @Test
  void leavesOnlyASweepableHiddenFileWhenKilledDuringACopy() throws Exception { // B48
    try (var fs = LoopFs.mount(Kind.EXT4, 100)) {
      ImageFile master = solidMaster(fs, 20);
      Process process =
          new ProcessBuilder(
                  Paths.get(System.getProperty("java.home"), "bin", "java").toString(),
                  "-cp",
                  System.getProperty("java.class.path"),
                  SlowCopy.class.getName(),
                  master.path().toString())
              .redirectError(ProcessBuilder.Redirect.INHERIT)
              .start();
      var output = new BufferedReader(new InputStreamReader(process.getInputStream()));
      assertEquals("copying", output.readLine());
      process.destroyForcibly().waitFor();

      var directory = new ImageDirectory(fs.directory());
      assertEquals(List.of(master), directory.images(name -> true));
      var stager = stager(fs, LinuxFiles.get());
      assertEquals(1, stager.sweep());
      assertEquals(0, stager.sweep());
      assertSameData(master.path(), publishedClone(stager, master).path());
    }
  }

  private static CloneMode expected(Kind kind) {
    return kind == Kind.BTRFS || kind == Kind.XFS ? CloneMode.REFLINK : CloneMode.COPY;
  }

  private Stager stager(LoopFs fs, NativeFiles natives) {
    return stager(fs.directory(), natives, mode::set);
  }

  private static Stager stager(Path directory, NativeFiles natives, Consumer<CloneMode> told) {
    return new Stager(
        new ImageDirectory(directory),
        () -> natives,
        (mode, bytes, took) -> told.accept(mode),
        System::nanoTime);
  }

  private static ImageFile publishedClone(Stager stager, ImageFile master) throws IOException {
    var reflinked = stager.reflink(master, ORDER);
    return stager.publish(
        reflinked.isPresent() ? reflinked.get() : stager.copy(master, ORDER, () -> false));
  }

  /** 40 GiB with holes at the start, in the middle and at the end. */
  private static ImageFile hugeMaster(LoopFs fs) throws IOException {
    return Masters.sparse(
        fs.directory(), "m_tpl_.img", 40 * GIB, 3 * GIB, 17 * GIB + 4096, 30 * GIB);
  }

  private static ImageFile solidMaster(LoopFs fs, int mebibytes) throws IOException {
    long[] offsets = new long[(int) (mebibytes * MIB / Masters.PIECE)];
    for (int i = 0; i < offsets.length; i++) {
      offsets[i] = (long) i * Masters.PIECE;
    }
    return Masters.sparse(fs.directory(), "solid_tpl_.img", mebibytes * MIB, offsets);
  }

  private static long free(LoopFs fs) throws IOException {
    LoopFs.run("sync", "-f", fs.directory().toString());
    return Files.getFileStore(fs.directory()).getUsableSpace();
  }

  private static long allocated(Path file) throws IOException {
    return Long.parseLong(LoopFs.run("stat", "-c", "%b", file.toString()).strip()) * 512;
  }

  /** Compares what either file holds, without reading what is a hole in both. */
  private static void assertSameData(Path one, Path other) throws IOException {
    assertEquals(Files.size(one), Files.size(other));
    compareWhereThereIsData(one, other);
    compareWhereThereIsData(other, one);
  }

  private static void compareWhereThereIsData(Path one, Path other) throws IOException {
    Path probePath = one.resolveSibling(".probe");
    try (var left = OpenFile.read(LinuxFiles.get(), one);
        var right = OpenFile.read(LinuxFiles.get(), other);
        var probe = OpenFile.create(LinuxFiles.get(), probePath)) {
      probe.extendTo(MIB);
      var map = DataMap.of(left, probe);
      assertTrue(map.knowsHoles());
      for (var data = map.next(0); data.isPresent(); data = map.next(data.get().end())) {
        assertEquals(read(left, data.get()), read(right, data.get()));
      }
    } finally {
      Files.delete(probePath);
    }
  }

  private static ByteBuffer read(OpenFile file, DataMap.Extent part) throws IOException {
    var bytes = ByteBuffer.allocate((int) (part.end() - part.start()));
    int read = 0;
    while (read >= 0 && bytes.hasRemaining()) {
      read = file.channel().read(bytes, part.start() + bytes.position());
    }
    return bytes.flip();
  }
}
