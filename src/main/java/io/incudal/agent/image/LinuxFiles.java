package io.incudal.agent.image;

import com.sun.jna.Native;
import com.sun.jna.NativeLibrary;
import com.sun.jna.Platform;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The calls of the running process's C library, by JNA: the agent's only native code. Thread-safe;
 * every call blocks like the system call it is.
 */
final class LinuxFiles implements NativeFiles {
  private static final Logger LOG = LoggerFactory.getLogger(LinuxFiles.class);

  private static final int AT_FDCWD = -100;
  private static final int O_RDWR = 2;
  private static final int O_NONBLOCK = 0x800;
  private static final int O_CLOEXEC = 0x80000;
  private static final Map<String, Integer> O_NOFOLLOW =
      Map.of("x86-64", 0x20000, "aarch64", 0x8000);
  private static final long FICLONE = 0x40049409L;
  private static final int SEEK_DATA = 3;
  private static final int SEEK_HOLE = 4;
  private static final int SYNC_FILE_RANGE_WRITE = 2;
  private static final int RENAME_NOREPLACE = 1;

  private final int noFollow;

  private LinuxFiles(int noFollow) {
    this.noFollow = noFollow;
  }

  /**
   * The calls, bound when they are first asked for; where that cannot be done, {@link #NONE}:
   * images are still made, only more slowly. Blocks the first caller for a moment.
   */
  static NativeFiles get() {
    return Loaded.FILES;
  }

  private static NativeFiles load() {
    try {
      Integer noFollow = Platform.isLinux() ? O_NOFOLLOW.get(Platform.ARCH) : null;
      if (noFollow == null) {
        LOG.warn("native file calls unknown on this machine: clones are plain copies");
        return NONE;
      }
      Native.register(C.class, NativeLibrary.getProcess());
      return new LinuxFiles(noFollow);
    } catch (LinkageError unavailable) {
      LOG.warn(
          "native file calls cannot be loaded: clones are plain copies; a writable temporary"
              + " directory that allows execution is needed reason={}",
          unavailable.getMessage());
      return NONE;
    }
  }

  @Override
  public int open(Path file, boolean writable) throws NativeFailure {
    int flags = (writable ? O_RDWR : 0) | O_CLOEXEC | O_NONBLOCK | noFollow;
    return (int) checked("open", C.open(bytes(file), flags, 0));
  }

  @Override
  public void close(int file) {
    // The descriptor is gone in any case, and what was written has been synced before.
    C.close(file);
  }

  @Override
  public void reflink(int source, int target) throws NativeFailure {
    checked("FICLONE", C.ioctl(target, FICLONE, source));
  }

  @Override
  public long copyRange(int source, int target, long offset, long length) throws NativeFailure {
    long[] from = {offset};
    long[] to = {offset};
    return checked("copy_file_range", C.copy_file_range(source, from, target, to, length, 0));
  }

  @Override
  public long seekData(int file, long offset) throws NativeFailure {
    return checked("SEEK_DATA", C.lseek(file, offset, SEEK_DATA));
  }

  @Override
  public long seekHole(int file, long offset) throws NativeFailure {
    return checked("SEEK_HOLE", C.lseek(file, offset, SEEK_HOLE));
  }

  @Override
  public void truncate(int file, long length) throws NativeFailure {
    checked("ftruncate", C.ftruncate(file, length));
  }

  @Override
  public void startWriting(int file, long offset, long length) {
    // What it could not begin, the sync at the end does.
    C.sync_file_range(file, offset, length, SYNC_FILE_RANGE_WRITE);
  }

  @Override
  public void renameNoReplace(Path from, Path to) throws NativeFailure {
    checked("renameat2", C.renameat2(AT_FDCWD, bytes(from), AT_FDCWD, bytes(to), RENAME_NOREPLACE));
  }

  @Override
  public String describe(int errno) {
    return C.strerror(errno);
  }

  private static long checked(String call, long result) throws NativeFailure {
    if (result < 0) {
      throw new NativeFailure(call, Native.getLastError());
    }
    return result;
  }

  private static byte[] bytes(Path path) {
    return (path + "\0").getBytes(StandardCharsets.UTF_8);
  }

  private static final class Loaded {
    static final NativeFiles FILES = load();
  }

  /** The C library's own signatures. */
  private static final class C {
    static native int open(byte[] path, int flags, int mode);

    static native int close(int file);

    static native int ioctl(int file, long request, int argument);

    static native long lseek(int file, long offset, int whence);

    static native int ftruncate(int file, long length);

    static native long copy_file_range(
        int in, long[] inOffset, int out, long[] outOffset, long length, int flags);

    static native int sync_file_range(int file, long offset, long length, int flags);

    static native String strerror(int errno);

    static native int renameat2(
        int oldDirectory, byte[] oldPath, int newDirectory, byte[] newPath, int flags);
  }
}
