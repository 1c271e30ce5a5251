package io.incudal.agent.audit;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.ReadableByteChannel;
import java.nio.channels.WritableByteChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/** A file on a disk that is full, or cannot sync, when the test says so. */
final class FaultyChannel extends FileChannel {
  /** What goes wrong from now on. */
  enum Fault {
    NONE,
    FULL_AFTER_TEN_BYTES,
    NO_SYNC
  }

  /** Shared by all channels that one log opens. */
  static final class Disk implements AuditLog.Opener {
    Fault fault = Fault.NONE;

    @Override
    public FileChannel append(Path file) throws IOException {
      return new FaultyChannel(
          FileChannel.open(
              file, StandardOpenOption.CREATE, StandardOpenOption.WRITE, StandardOpenOption.APPEND),
          this);
    }
  }

  private final FileChannel real;
  private final Disk disk;

  private FaultyChannel(FileChannel real, Disk disk) {
    this.real = real;
    this.disk = disk;
  }

  @Override
  public int write(ByteBuffer bytes) throws IOException {
    if (disk.fault == Fault.FULL_AFTER_TEN_BYTES) {
      real.write(bytes.slice(bytes.position(), Math.min(10, bytes.remaining())));
      throw new IOException("No space left on device");
    }
    return real.write(bytes);
  }

  @Override
  public void force(boolean metadata) throws IOException {
    if (disk.fault == Fault.NO_SYNC) {
      throw new IOException("Input/output error");
    }
    real.force(metadata);
  }

  @Override
  public FileChannel truncate(long size) throws IOException {
    real.truncate(size);
    return this;
  }

  @Override
  public long size() throws IOException {
    return real.size();
  }

  @Override
  protected void implCloseChannel() throws IOException {
    real.close();
  }

  @Override
  public int read(ByteBuffer bytes) {
    throw new UnsupportedOperationException();
  }

  @Override
  public long read(ByteBuffer[] bytes, int offset, int length) {
    throw new UnsupportedOperationException();
  }

  @Override
  public long write(ByteBuffer[] bytes, int offset, int length) {
    throw new UnsupportedOperationException();
  }

  @Override
  public long position() {
    throw new UnsupportedOperationException();
  }

  @Override
  public FileChannel position(long position) {
    throw new UnsupportedOperationException();
  }

  @Override
  public long transferTo(long position, long count, WritableByteChannel target) {
    throw new UnsupportedOperationException();
  }

  @Override
  public long transferFrom(ReadableByteChannel source, long position, long count) {
    throw new UnsupportedOperationException();
  }

  @Override
  public int read(ByteBuffer bytes, long position) {
    throw new UnsupportedOperationException();
  }

  @Override
  public int write(ByteBuffer bytes, long position) {
    throw new UnsupportedOperationException();
  }

  @Override
  public MappedByteBuffer map(MapMode mode, long position, long size) {
    throw new UnsupportedOperationException();
  }

  @Override
  public FileLock lock(long position, long size, boolean shared) {
    throw new UnsupportedOperationException();
  }

  @Override
  public FileLock tryLock(long position, long size, boolean shared) {
    throw new UnsupportedOperationException();
  }
}
