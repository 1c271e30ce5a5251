package io.incudal.agent.image;

import static java.util.Map.entry;

import java.io.IOException;
import java.util.Map;
import java.util.Set;

/** A system call that failed. */
final class NativeFailure extends IOException {
  static final int EPERM = 1;
  static final int EIO = 5;
  static final int ENXIO = 6;
  static final int EAGAIN = 11;
  static final int EACCES = 13;
  static final int EEXIST = 17;
  static final int EXDEV = 18;
  static final int EINVAL = 22;
  static final int ENOTTY = 25;
  static final int EFBIG = 27;
  static final int ENOSPC = 28;
  static final int EROFS = 30;
  static final int ENOSYS = 38;
  static final int EOPNOTSUPP = 95;
  static final int EDQUOT = 122;

  private static final long serialVersionUID = 1L;

  // Another way would meet the same end. Every other refusal may be one of this call alone: which
  // word stands for "not here" differs from file system to file system, and sandboxes add theirs.
  private static final Set<Integer> FINAL = Set.of(EIO, EFBIG, ENOSPC, EROFS, EDQUOT);

  private static final Map<Integer, String> NAMES =
      Map.ofEntries(
          entry(EPERM, "EPERM"),
          entry(EIO, "EIO"),
          entry(ENXIO, "ENXIO"),
          entry(EAGAIN, "EAGAIN"),
          entry(EACCES, "EACCES"),
          entry(EEXIST, "EEXIST"),
          entry(EXDEV, "EXDEV"),
          entry(EINVAL, "EINVAL"),
          entry(ENOTTY, "ENOTTY"),
          entry(EFBIG, "EFBIG"),
          entry(ENOSPC, "ENOSPC"),
          entry(EROFS, "EROFS"),
          entry(ENOSYS, "ENOSYS"),
          entry(EOPNOTSUPP, "EOPNOTSUPP"),
          entry(EDQUOT, "EDQUOT"));

  private final int errno;

  NativeFailure(String call, int errno) {
    super(call + ": " + NAMES.getOrDefault(errno, "errno " + errno));
    this.errno = errno;
  }

  int errno() {
    return errno;
  }

  /** Whether the same end may be reached by other calls. */
  boolean leavesAnotherWay() {
    return !FINAL.contains(errno);
  }
}
