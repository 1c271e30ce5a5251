package io.incudal.agent.image;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class MountTableTest {
  @ParameterizedTest
  @CsvSource({
    "/srv/images, btrfs",
    "/srv/images/deep/er, btrfs",
    "/srv/images-old/x, ext4",
    "/srv/imagesx, xfs",
    "/srv, xfs",
    "/var/lib, ext4",
    "/, ext4",
    "/tank/images, zfs"
  })
  void takesTheLongestMountPointThatIsTheDirectoryOrAboveIt(String path, String type)
      throws IOException {
    assertEquals(type, typeOf("server", path));
  }

  @ParameterizedTest
  @CsvSource({"/data/images, xfs", "/data/scratch/a, tmpfs", "/etc, overlay"})
  void takesTheLastOfEqualMountPoints(String path, String type) throws IOException {
    assertEquals(type, typeOf("stacked", path));
  }

  @ParameterizedTest
  @CsvSource({
    "/srv/disk images/a, btrfs",
    "/srv/disk\\040images, ext4",
    "'/srv/tab\there', xfs",
    "/srv/back\\slash, jfs",
    "/srv/a\\040b, f2fs",
    "/srv/nfs/x, nfs4",
    "/srv/\\, fuse.sshfs"
  })
  void decodesOctalEscapes(String path, String type) throws IOException {
    assertEquals(type, typeOf("escaped", path));
  }

  @Test
  void readsMountPointsInUtf8() throws IOException {
    var mounts = table("escaped").mounts();
    assertEquals(1, mounts.stream().filter(m -> m.point().equals("/srv/bücher")).count());
  }

  @Test
  void passesOverLinesThatAreNoMount() throws IOException {
    assertEquals(5, table("container").mounts().size());
    assertEquals("xfs", typeOf("container", "/images"));
  }

  @Test
  void saysUnknownWhenNothingHoldsTheDirectory() {
    var empty = MountTable.parse(new byte[0]);
    assertEquals("unknown", ImageFileSystem.of(Path.of("/images"), empty).type());
  }

  @Test
  void followsSymbolicLinksOfTheDirectory(@TempDir Path temp) throws IOException {
    Path real = Files.createDirectory(temp.toRealPath().resolve("real"));
    Path link = Files.createSymbolicLink(temp.resolve("link"), real);
    var table = MountTable.parse(("x / ext4 rw\nx " + real + " btrfs rw\n").getBytes());
    assertEquals("btrfs", ImageFileSystem.of(link, table).type());
  }

  @Test
  void readsTheTableOfThisProcess() {
    assertEquals("proc", ImageFileSystem.of(Path.of("/proc/self")).type());
  }

  @ParameterizedTest
  @CsvSource({
    "btrfs, reflink (FICLONE; xfs requires the reflink feature enabled) -> shutil.copy fallback",
    "xfs, reflink (FICLONE; xfs requires the reflink feature enabled) -> shutil.copy fallback",
    "ext4, full copy only (reflink unsupported on ext4)",
    "unknown, full copy only (reflink unsupported on unknown)"
  })
  void describesCloningInTheContractsWords(String type, String text) {
    assertEquals(text, new ImageFileSystem(type).cloneMode());
  }

  @Test
  void describesCloningOnZfsInTheContractsWords() {
    assertEquals(
        "reflink (FICLONE on OpenZFS >= 2.2, master and work disk in the same dataset)"
            + " -> shutil.copy fallback",
        new ImageFileSystem("zfs").cloneMode());
  }

  private static String typeOf(String resource, String path) throws IOException {
    return table(resource).holding(Path.of(path)).orElseThrow().type();
  }

  private static MountTable table(String resource) throws IOException {
    try (var in = MountTableTest.class.getResourceAsStream("mounts/" + resource + ".txt")) {
      return MountTable.parse(in.readAllBytes());
    }
  }
}
