package io.incudal.agent.upgrade;

import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.DigestInputStream;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.util.HexFormat;
import java.util.zip.GZIPInputStream;
import java.util.zip.ZipException;

/** Looks whether a downloaded file is what was offered, and unpacks it. Blocks; worker threads. */
final class PackageCheck {
  private static final long MAX_UNPACKED = 256L << 20;

  private PackageCheck() {}

  /** Reads what is on the disk, so that a bad disk is found out too. */
  static void verify(Path file, String sha256) throws IOException {
    byte[] expected = HexFormat.of().parseHex(sha256);
    if (!MessageDigest.isEqual(expected, digest(file))) {
      throw UpgradeException.ofPackage("the SHA-256 of the download is not the one offered");
    }
  }

  static void unpack(Path packed, Path unpacked) throws IOException {
    unpack(packed, unpacked, MAX_UNPACKED);
  }

  static void unpack(Path packed, Path unpacked, long cap) throws IOException {
    try (InputStream in = new GZIPInputStream(Files.newInputStream(packed), 1 << 16);
        OutputStream out = Files.newOutputStream(unpacked)) {
      copy(in, out, cap);
    } catch (ZipException | EOFException damaged) {
      throw UpgradeException.ofPackage("the package is no gzip file: " + damaged.getMessage());
    }
  }

  private static void copy(InputStream in, OutputStream out, long cap) throws IOException {
    byte[] buffer = new byte[1 << 16];
    long length = 0;
    for (int read = in.read(buffer); read >= 0; read = in.read(buffer)) {
      length += read;
      if (length > cap) {
        throw UpgradeException.ofPackage("the package unpacks to more than " + cap + " bytes");
      }
      out.write(buffer, 0, read);
    }
  }

  private static byte[] digest(Path file) throws IOException {
    try {
      MessageDigest digest = MessageDigest.getInstance("SHA-256");
      try (InputStream in = new DigestInputStream(Files.newInputStream(file), digest)) {
        in.transferTo(OutputStream.nullOutputStream());
      }
      return digest.digest();
    } catch (GeneralSecurityException impossible) {
      throw new IllegalStateException("every Java has SHA-256", impossible);
    }
  }
}
