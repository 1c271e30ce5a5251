package io.incudal.agent.upgrade;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** B95: nothing but the artifact is taken for the artifact. */
class PackageCheckTest {
  private static final String SHA_OF_ABC =
      "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";

  @TempDir Path directory;

  @Test
  void acceptsTheHashThatWasOffered() throws IOException {
    PackageCheck.verify(file("abc".getBytes(StandardCharsets.US_ASCII)), SHA_OF_ABC);
    assertTrue(Files.exists(directory.resolve("file")));
  }

  @Test
  void blamesThePackageForAnotherHash() throws IOException {
    Path empty = file(new byte[0]);
    var wrong = assertThrows(UpgradeException.class, () -> PackageCheck.verify(empty, SHA_OF_ABC));
    assertTrue(wrong.packageFault());
  }

  @Test
  void unpacks() throws IOException {
    byte[] content = new byte[200_000];
    Arrays.fill(content, (byte) 'x');
    Path unpacked = directory.resolve("unpacked");
    PackageCheck.unpack(file(gzip(content)), unpacked, 200_000);
    assertArrayEquals(content, Files.readAllBytes(unpacked));
  }

  @Test
  void stopsAtTheCapWhateverTheSmallFilePromises() throws IOException {
    Path bomb = file(gzip(new byte[4 << 20]));
    Path unpacked = directory.resolve("unpacked");
    assertTrue(Files.size(bomb) < 10_000);
    var wrong =
        assertThrows(UpgradeException.class, () -> PackageCheck.unpack(bomb, unpacked, 1 << 20));
    assertTrue(wrong.packageFault());
    assertTrue(Files.size(unpacked) <= 1 << 20);
  }

  @Test
  void blamesThePackageForABrokenOrCutGzip() throws IOException {
    byte[] whole = gzip(new byte[100_000]);
    Path unpacked = directory.resolve("unpacked");
    for (byte[] broken :
        new byte[][] {
          {}, "<html>".getBytes(StandardCharsets.US_ASCII), Arrays.copyOf(whole, whole.length - 9)
        }) {
      Path file = file(broken);
      var wrong = assertThrows(UpgradeException.class, () -> PackageCheck.unpack(file, unpacked));
      assertEquals(true, wrong.packageFault());
    }
  }

  private Path file(byte[] content) throws IOException {
    return Files.write(directory.resolve("file"), content);
  }

  private static byte[] gzip(byte[] content) throws IOException {
    var out = new ByteArrayOutputStream();
    try (var gzip = new GZIPOutputStream(out)) {
      gzip.write(content);
    }
    return out.toByteArray();
  }
}
