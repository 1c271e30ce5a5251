package io.incudal.agent.exec;

import java.io.InputStream;
import java.util.concurrent.LinkedBlockingQueue;

/**
 * Standard input of a shell: docker-java's writer thread reads, and sleeps, here. Not a {@code
 * PipedInputStream}, which polls and wants its writer's thread to live.
 */
final class StdinQueue extends InputStream {
  private static final byte[] END = new byte[0];

  private final LinkedBlockingQueue<byte[]> chunks = new LinkedBlockingQueue<>();
  private byte[] chunk = new byte[0];
  private int at;

  void add(byte[] bytes) {
    if (bytes.length > 0) {
      chunks.add(bytes);
    }
  }

  @Override
  public void close() {
    chunks.add(END);
  }

  @Override
  public int read() {
    byte[] one = new byte[1];
    return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
  }

  @Override
  public int read(byte[] into, int offset, int length) {
    if (chunk != END && at == chunk.length && !next()) {
      return -1;
    }
    if (chunk == END) {
      return -1;
    }
    int count = Math.min(length, chunk.length - at);
    System.arraycopy(chunk, at, into, offset, count);
    at += count;
    return count;
  }

  private boolean next() {
    try {
      chunk = chunks.take();
      at = 0;
      return chunk != END;
    } catch (InterruptedException stop) {
      Thread.currentThread().interrupt();
      chunk = END;
      return false;
    }
  }
}
