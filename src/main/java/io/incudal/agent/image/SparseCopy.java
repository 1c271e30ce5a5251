package io.incudal.agent.image;

import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;

/**
 * Copies a master's data and leaves its holes holes: inside the kernel where it can, else through
 * one buffer outside the heap, in which blocks of zeros count as holes. Blocking, for as long as it
 * takes.
 */
final class SparseCopy {
  private static final int CHUNK = 4 << 20;
  private static final int BUFFER = 1 << 20;
  private static final int BLOCK = 4096;
  // So that the last sync does not find minutes of work left, which nothing could cancel.
  private static final long SYNC_AFTER = 256L << 20;

  private final OpenFile master;
  private final OpenFile disk;
  private final DataMap map;
  private final CopyProgress progress;
  private boolean inKernel;
  private long unsynced;
  private ByteBuffer buffer;
  private ByteBuffer zeros;

  /**
   * @param disk new and empty
   */
  SparseCopy(OpenFile master, OpenFile disk, CopyProgress progress) throws IOException {
    this.master = master;
    this.disk = disk;
    this.progress = progress;
    // Not afterwards, and never back: ext4 writes out at once what has been cut to nothing.
    disk.extendTo(master.size());
    this.map = DataMap.of(master, disk);
    this.inKernel = map.knowsHoles();
  }

  /** How much space the copy will take, as far as that can be known; else zero. */
  long bytesNeeded() throws IOException {
    return map.knowsHoles() ? map.dataBytes() : 0;
  }

  void run() throws IOException {
    progress.begin(map.dataBytes());
    long done = 0;
    for (var data = map.next(0); data.isPresent(); data = map.next(done)) {
      done = copy(data.get());
    }
    if (disk.size() != map.length() || master.size() != map.length()) {
      throw new EOFException("the master's size changed while it was copied");
    }
  }

  private long copy(DataMap.Extent data) throws IOException {
    long at = data.start();
    while (at < data.end()) {
      long step = step(at, data.end() - at);
      at += step;
      progress.advance(step);
      // Begun now, writing and copying overlap, and little is left to the sync at the end.
      disk.natives().startWriting(disk.descriptor(), at - step, step);
      syncNowAndThen(step);
    }
    return at;
  }

  private long step(long at, long most) throws IOException {
    // A map that has lost its sight shows holes as data, which the kernel would write out.
    if (inKernel && map.knowsHoles()) {
      try {
        long copied =
            disk.natives()
                .copyRange(master.descriptor(), disk.descriptor(), at, Math.min(most, CHUNK));
        if (copied > 0) {
          return copied;
        }
      } catch (NativeFailure failed) {
        if (!failed.leavesAnotherWay()) {
          throw failed;
        }
      }
      inKernel = false;
    }
    return throughBuffer(at, most);
  }

  private long throughBuffer(long at, long most) throws IOException {
    if (buffer == null) {
      buffer = ByteBuffer.allocateDirect(BUFFER);
      zeros = ByteBuffer.allocateDirect(BLOCK);
    }
    buffer.clear().limit((int) Math.min(most, BUFFER));
    int read = master.channel().read(buffer, at);
    if (read <= 0) {
      throw new EOFException("the master became shorter while it was copied");
    }
    int start = 0;
    while (start < read) {
      boolean zero = isZero(start, Math.min(start + BLOCK, read));
      int end = endOfRun(start, read, zero);
      if (!zero) {
        write(start, end, at);
      }
      start = end;
    }
    return read;
  }

  /** The end of the blocks from {@code start} on that are all zeros, or all not. */
  private int endOfRun(int start, int read, boolean zero) {
    int end = start;
    do {
      end = Math.min(end + BLOCK, read);
    } while (end < read && isZero(end, Math.min(end + BLOCK, read)) == zero);
    return end;
  }

  private boolean isZero(int start, int end) {
    buffer.limit(end).position(start);
    zeros.limit(end - start).position(0);
    return buffer.mismatch(zeros) < 0;
  }

  private void write(int start, int end, long base) throws IOException {
    buffer.limit(end).position(start);
    while (buffer.hasRemaining()) {
      disk.channel().write(buffer, base + buffer.position());
    }
  }

  private void syncNowAndThen(long written) throws IOException {
    unsynced += written;
    if (unsynced > SYNC_AFTER) {
      disk.channel().force(false);
      unsynced = 0;
    }
  }
}
