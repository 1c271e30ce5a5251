package io.incudal.agent.image;

import java.nio.file.Path;

/**
 * The few system calls on files that Java does not offer. Each fails with the kernel's own word;
 * where there is none of them at all, each fails with {@link NativeFailure#ENOSYS}, as on a kernel
 * that lacks it, and the callers go their other way.
 */
interface NativeFiles {
  /** A kernel without any of these calls. */
  NativeFiles NONE = new NativeFiles() {};

  /** Opens a file that is no symbolic link; never waits for the other end of a pipe. */
  default int open(Path file, boolean writable) throws NativeFailure {
    throw new NativeFailure("open", NativeFailure.ENOSYS);
  }

  default void close(int file) {}

  /** Lets the target share all blocks of the source ({@code FICLONE}). */
  default void reflink(int source, int target) throws NativeFailure {
    throw new NativeFailure("FICLONE", NativeFailure.ENOSYS);
  }

  /** Copies inside the kernel, from and to the same offset; returns how much it did. */
  default long copyRange(int source, int target, long offset, long length) throws NativeFailure {
    throw new NativeFailure("copy_file_range", NativeFailure.ENOSYS);
  }

  /** The first byte at or after an offset that is no hole; {@code ENXIO} when there is none. */
  default long seekData(int file, long offset) throws NativeFailure {
    throw new NativeFailure("SEEK_DATA", NativeFailure.ENOSYS);
  }

  /** The first byte at or after an offset that is a hole, or the end of the file. */
  default long seekHole(int file, long offset) throws NativeFailure {
    throw new NativeFailure("SEEK_HOLE", NativeFailure.ENOSYS);
  }

  /** Sets the length; what is added is a hole, and takes no space. */
  default void truncate(int file, long length) throws NativeFailure {
    throw new NativeFailure("ftruncate", NativeFailure.ENOSYS);
  }

  /** Lets the kernel begin to write out a stretch; waits for nothing, and never fails. */
  default void startWriting(int file, long offset, long length) {}

  /** Renames; {@code EEXIST} when the new name is taken. */
  default void renameNoReplace(Path from, Path to) throws NativeFailure {
    throw new NativeFailure("renameat2", NativeFailure.ENOSYS);
  }

  /** The C library's text for a number, in the language of the process; empty when not known. */
  default String describe(int errno) {
    return "";
  }
}
