package io.incudal.agent.audit;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.zip.CRC32;

/**
 * The companion of the log: the last id, for when the log itself was moved away or emptied. Two
 * checksummed slots are written in turn, in place, so that a crash spoils at most the newer one and
 * a sync costs no journal commit. Its lock keeps a second agent from writing the same log. Used on
 * the writer's thread only.
 */
final class LastId implements AutoCloseable {
  private static final int SLOTS = 2;
  private static final int DIGITS = 20;
  private static final int SLOT_BYTES = DIGITS + 10;

  private final FileChannel channel;
  private int slot;
  private long value;

  private LastId(FileChannel channel) {
    this.channel = channel;
  }

  /** Beside the log, so that it is kept and lost together with its directory. */
  static Path beside(Path log) {
    return log.resolveSibling(log.getFileName() + ".last-id");
  }

  static LastId open(Path file) throws IOException {
    FileChannel channel =
        FileChannel.open(
            file, StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE);
    try {
      lock(channel);
      var last = new LastId(channel);
      last.load();
      return last;
    } catch (IOException | RuntimeException failure) {
      channel.close();
      throw failure;
    }
  }

  private static void lock(FileChannel channel) throws IOException {
    FileLock lock = null;
    try {
      lock = channel.tryLock();
    } catch (OverlappingFileLockException mine) {
      // Held by this very process: no lock either.
    }
    if (lock == null) {
      throw new IOException("another agent writes this audit log");
    }
  }

  private void load() throws IOException {
    ByteBuffer content = ByteBuffer.allocate(SLOTS * SLOT_BYTES);
    channel.read(content, 0);
    for (int i = 0; i < SLOTS; i++) {
      long found = parse(content.array(), i * SLOT_BYTES);
      if (found > value) {
        value = found;
        slot = (i + 1) % SLOTS;
      }
    }
  }

  /** 0 when none was kept. */
  long value() {
    return value;
  }

  /** Returns when the id is on the disk. */
  void store(long id) throws IOException {
    ByteBuffer bytes = ByteBuffer.wrap(print(id));
    long position = (long) slot * SLOT_BYTES;
    while (bytes.hasRemaining()) {
      position += channel.write(bytes, position);
    }
    channel.force(false);
    slot = (slot + 1) % SLOTS;
    value = id;
  }

  private static byte[] print(long id) {
    String digits = String.format("%0" + DIGITS + "d", id);
    return String.format("%s %08x\n", digits, checksum(digits)).getBytes(StandardCharsets.US_ASCII);
  }

  private static long parse(byte[] content, int at) {
    String text = new String(content, at, SLOT_BYTES, StandardCharsets.US_ASCII);
    String digits = text.substring(0, DIGITS);
    String rest = String.format(" %08x\n", checksum(digits));
    return digits.matches("0[0-9]+") && text.endsWith(rest) ? Long.parseLong(digits) : 0;
  }

  private static long checksum(String digits) {
    var crc = new CRC32();
    crc.update(digits.getBytes(StandardCharsets.US_ASCII));
    return crc.getValue();
  }

  @Override
  public void close() throws IOException {
    channel.close();
  }
}
