package io.incudal.agent.image;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Set;

/**
 * An open image: as a channel, and, for the calls that Java lacks, as a descriptor. Never a
 * symbolic link.
 *
 * @param natives {@link NativeFiles#NONE} when there is no descriptor
 */
record OpenFile(FileChannel channel, NativeFiles natives, int descriptor) implements AutoCloseable {
  private static final int NO_DESCRIPTOR = -1;

  static OpenFile read(NativeFiles natives, Path path) throws IOException {
    var options = Set.of(StandardOpenOption.READ, LinkOption.NOFOLLOW_LINKS);
    return withDescriptor(FileChannel.open(path, options), natives, path, false);
  }

  static OpenFile create(NativeFiles natives, Path path) throws IOException {
    var options =
        Set.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.READ, StandardOpenOption.WRITE);
    return withDescriptor(FileChannel.open(path, options), natives, path, true);
  }

  private static OpenFile withDescriptor(
      FileChannel channel, NativeFiles natives, Path path, boolean writable) {
    try {
      return new OpenFile(channel, natives, natives.open(path, writable));
    } catch (NativeFailure unavailable) {
      return new OpenFile(channel, NativeFiles.NONE, NO_DESCRIPTOR);
    }
  }

  long size() throws IOException {
    return channel.size();
  }

  /** Makes the file at least this long, by a hole. */
  void extendTo(long length) throws IOException {
    if (size() >= length) {
      return;
    }
    try {
      natives.truncate(descriptor, length);
    } catch (NativeFailure failed) {
      if (!failed.leavesAnotherWay()) {
        throw failed;
      }
      // RandomAccessFile.setLength would allocate every block; this allocates one.
      channel.write(ByteBuffer.wrap(new byte[1]), length - 1);
    }
  }

  @Override
  public void close() throws IOException {
    natives.close(descriptor);
    channel.close();
  }
}
