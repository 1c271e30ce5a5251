package io.incudal.agent.image;

import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.function.LongConsumer;

/** The real calls, some of which fail as told. */
final class FaultyFiles implements NativeFiles {
  private final NativeFiles real = LinuxFiles.get();
  private final Map<String, Integer> faults = new HashMap<>();
  private int healthyCopies;
  private long copyAtMost = Long.MAX_VALUE;
  private LongConsumer beforeCopy = offset -> {};

  /** A call, by the kernel's name, fails with this number from now on. */
  FaultyFiles failing(String call, int errno) {
    faults.put(call, errno);
    return this;
  }

  /** {@code copy_file_range} fails only after so many good calls. */
  FaultyFiles afterCopies(int healthy) {
    healthyCopies = healthy;
    return this;
  }

  /** {@code copy_file_range} copies no more than this at once. */
  FaultyFiles copyingAtMost(long bytes) {
    copyAtMost = bytes;
    return this;
  }

  /** Is told the offset before each {@code copy_file_range}. */
  FaultyFiles beforeCopies(LongConsumer told) {
    beforeCopy = told;
    return this;
  }

  @Override
  public int open(Path file, boolean writable) throws NativeFailure {
    fail("open");
    return real.open(file, writable);
  }

  @Override
  public void close(int file) {
    real.close(file);
  }

  @Override
  public void reflink(int source, int target) throws NativeFailure {
    fail("FICLONE");
    real.reflink(source, target);
  }

  @Override
  public long copyRange(int source, int target, long offset, long length) throws NativeFailure {
    beforeCopy.accept(offset);
    if (healthyCopies-- <= 0) {
      fail("copy_file_range");
    }
    if (copyAtMost == 0) {
      return 0;
    }
    return real.copyRange(source, target, offset, Math.min(length, copyAtMost));
  }

  @Override
  public long seekData(int file, long offset) throws NativeFailure {
    fail("SEEK_DATA");
    return real.seekData(file, offset);
  }

  @Override
  public long seekHole(int file, long offset) throws NativeFailure {
    fail("SEEK_HOLE");
    return real.seekHole(file, offset);
  }

  @Override
  public void truncate(int file, long length) throws NativeFailure {
    fail("ftruncate");
    real.truncate(file, length);
  }

  @Override
  public void startWriting(int file, long offset, long length) {
    real.startWriting(file, offset, length);
  }

  @Override
  public void renameNoReplace(Path from, Path to) throws NativeFailure {
    fail("renameat2");
    real.renameNoReplace(from, to);
  }

  private void fail(String call) throws NativeFailure {
    Integer errno = faults.get(call);
    if (errno != null) {
      throw new NativeFailure(call, errno);
    }
  }
}
