package io.incudal.agent.audit;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.util.Arrays;

/**
 * Walks over the complete lines of a part of the log, with bounded memory whatever stands there.
 * After {@link #next}, the line lies in {@link #bytes} until the next call. Not thread-safe.
 */
final class LineCursor {
  /** Longer ones are passed over as unreadable; the agent's own are far shorter. */
  static final int MAX_LINE = 256 * 1024;

  private final FileChannel channel;
  private final long end;

  private byte[] buffer;

  /** Offset in the file of the buffer's first byte. */
  private long base;

  private int filled;
  private int lineStart;
  private int lineEnd;
  private int next;

  /**
   * @param start where a line begins
   * @param end no byte at or after it is looked at
   * @param chunk bytes that are read at once
   */
  LineCursor(FileChannel channel, long start, long end, int chunk) {
    this.channel = channel;
    this.base = start;
    this.end = end;
    this.buffer = new byte[chunk];
  }

  /** Moves to the next line that ends in a newline; {@code false} when there is none. */
  boolean next() throws IOException {
    int seen = next;
    while (true) {
      for (int i = seen; i < filled; i++) {
        if (buffer[i] == '\n') {
          lineStart = next;
          lineEnd = i;
          next = i + 1;
          return true;
        }
      }
      seen = filled;
      if (seen - next > MAX_LINE) {
        // An endless line: keep its first bytes only, which are bad anyway.
        base += seen - next - 1;
        buffer[next] = 0;
        filled = next + 1;
        seen = filled;
      }
      int moved = makeRoom();
      seen -= moved;
      if (!fill()) {
        return false;
      }
    }
  }

  private int makeRoom() {
    int moved = next;
    System.arraycopy(buffer, next, buffer, 0, filled - next);
    base += moved;
    filled -= moved;
    next = 0;
    if (filled == buffer.length) {
      buffer = Arrays.copyOf(buffer, buffer.length * 2);
    }
    return moved;
  }

  private boolean fill() throws IOException {
    long position = base + filled;
    int want = (int) Math.min(buffer.length - filled, end - position);
    if (want <= 0) {
      return false;
    }
    int read = channel.read(ByteBuffer.wrap(buffer, filled, want), position);
    if (read <= 0) {
      return false;
    }
    filled += read;
    return true;
  }

  /** Offset of the current line in the file. */
  long start() {
    return base + lineStart;
  }

  /** Offset of the line after the current one. */
  long following() {
    return base + next;
  }

  byte[] bytes() {
    return buffer;
  }

  int offset() {
    return lineStart;
  }

  int length() {
    return lineEnd - lineStart;
  }
}
