package io.incudal.agent.audit;

import io.vertx.core.buffer.Buffer;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.Optional;

/**
 * Reads pages out of the log. Ids rise, so the file is its own index: a cursor is found by
 * bisection, some fifteen small reads whatever the length of the log, with nothing to build at
 * start and nothing to go stale when the log is rotated.
 *
 * <p>Stateless, for any thread that may block; memory is bounded by the size of a page.
 */
final class AuditReader {
  /** A page ends early when it has grown to this. */
  private static final int MAX_PAGE = 4 * 1024 * 1024;

  private static final int NEAR = 32 * 1024;
  private static final int PROBE = 2 * 1024;
  private static final int CHUNK = 64 * 1024;

  private final Path file;

  AuditReader(Path file) {
    this.file = file;
  }

  /**
   * A page and what had to be passed over for it.
   *
   * @param unreadable how many lines
   * @param upTo offset at which reading ended
   */
  record Found(AuditMessages.Page page, int unreadable, long upTo) {}

  /**
   * Entries of the file as the writer knows it; none when it was moved away. Empty when another
   * file stands in its place, or it was cut: then the writer has to look first.
   */
  Optional<Found> page(LogState state, AuditMessages.ReadPage ask) throws IOException {
    try (FileChannel channel = FileChannel.open(file)) {
      var now = Files.readAttributes(file, BasicFileAttributes.class);
      if (!now.fileKey().equals(state.key()) || channel.size() < state.size()) {
        return Optional.empty();
      }
      return Optional.of(collect(channel, state.size(), ask));
    } catch (NoSuchFileException moved) {
      return Optional.of(nothing(ask));
    }
  }

  static Found nothing(AuditMessages.ReadPage ask) {
    return new Found(new AuditMessages.Page(ask.since(), Buffer.buffer("[]")), 0, 0);
  }

  private static Found collect(FileChannel channel, long end, AuditMessages.ReadPage ask)
      throws IOException {
    var lines = new LineCursor(channel, lineNear(channel, end, ask.since()), end, CHUNK);
    Buffer entries = Buffer.buffer("[");
    long cursor = ask.since();
    int count = 0;
    int unreadable = 0;
    while (count < ask.limit() && entries.length() < MAX_PAGE && lines.next()) {
      long id = LineId.of(lines.bytes(), lines.offset(), lines.length());
      if (id == LineId.NONE) {
        unreadable++;
      } else if (id > cursor) {
        if (count++ > 0) {
          entries.appendByte((byte) ',');
        }
        entries.appendBytes(lines.bytes(), lines.offset(), lines.length());
        cursor = id;
      }
    }
    entries.appendByte((byte) ']');
    return new Found(new AuditMessages.Page(cursor, entries), unreadable, lines.following());
  }

  /** Offset of a line that stands not far before the first one with an id above {@code since}. */
  private static long lineNear(FileChannel channel, long end, long since) throws IOException {
    long low = 0;
    long high = end;
    while (since > 0 && high - low > NEAR) {
      long middle = low + (high - low) / 2;
      var lines = new LineCursor(channel, middle, high, PROBE);
      // The first one is the end of a line that began before.
      long id = lines.next() ? nextId(lines) : LineId.NONE;
      if (id != LineId.NONE && id <= since) {
        low = lines.start();
      } else {
        high = middle;
      }
    }
    return low;
  }

  private static long nextId(LineCursor lines) throws IOException {
    while (lines.next()) {
      long id = LineId.of(lines.bytes(), lines.offset(), lines.length());
      if (id != LineId.NONE) {
        return id;
      }
    }
    return LineId.NONE;
  }
}
