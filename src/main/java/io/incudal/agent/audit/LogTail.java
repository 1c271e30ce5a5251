package io.incudal.agent.audit;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;

/**
 * The end of a log as a crash, or another program, may have left it.
 *
 * @param size of the part that can stay
 * @param torn bytes after it
 * @param unended whether the last line of that part is whole but for its newline
 * @param lastId of the last line that can be read; 0 when there is none
 */
record LogTail(long size, long torn, boolean unended, long lastId) {
  private static final int CHUNK = 64 * 1024;

  /** No batch is larger; more than this without a line end is no audit log, and is left alone. */
  private static final int MAX_TORN = 1024 * 1024;

  /** Reads backwards, and so no more than the last lines of an intact log. */
  static LogTail of(Path file) throws IOException {
    try (FileChannel channel = FileChannel.open(file)) {
      long whole = channel.size();
      long size = lineStart(channel, whole);
      if (whole - size > MAX_TORN) {
        throw new IOException("the end of the file is no audit log; move it away");
      }
      long unended = idOfLine(channel, size, whole);
      if (unended != LineId.NONE) {
        return new LogTail(whole, 0, true, unended);
      }
      return new LogTail(size, whole - size, false, lastId(channel, size));
    }
  }

  private static long lastId(FileChannel channel, long size) throws IOException {
    long end = size;
    while (end > 0) {
      long start = lineStart(channel, end - 1);
      long id = idOfLine(channel, start, end - 1);
      if (id != LineId.NONE) {
        return id;
      }
      end = start;
    }
    return 0;
  }

  private static long idOfLine(FileChannel channel, long start, long end) throws IOException {
    if (end - start > LineCursor.MAX_LINE || end <= start) {
      return LineId.NONE;
    }
    byte[] line = new byte[(int) (end - start)];
    return LineId.of(line, 0, read(channel, start, line, line.length));
  }

  /** Offset of the line that an offset, which is its end, lies in. */
  private static long lineStart(FileChannel channel, long offset) throws IOException {
    byte[] buffer = new byte[CHUNK];
    long end = offset;
    while (end > 0) {
      long start = Math.max(0, end - CHUNK);
      for (int i = read(channel, start, buffer, (int) (end - start)) - 1; i >= 0; i--) {
        if (buffer[i] == '\n') {
          return start + i + 1;
        }
      }
      end = start;
    }
    return 0;
  }

  private static int read(FileChannel channel, long start, byte[] buffer, int length)
      throws IOException {
    ByteBuffer bytes = ByteBuffer.wrap(buffer, 0, length);
    while (bytes.hasRemaining() && channel.read(bytes, start + bytes.position()) > 0) {
      // A file that grows shorter meanwhile gives less than was asked for.
    }
    return bytes.position();
  }
}
