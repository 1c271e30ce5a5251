package io.incudal.agent.image;

import io.incudal.agent.bus.AgentException;
import io.incudal.agent.bus.ErrorCode;
import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.util.Map;
import java.util.Optional;

/** Says what a caller can do about a failed file operation; its own words go to the log only. */
final class FileFailures {
  private static final Map<Integer, Kind> KINDS =
      Map.of(
          NativeFailure.ENOSPC, Kind.FULL,
          NativeFailure.EDQUOT, Kind.QUOTA,
          NativeFailure.EFBIG, Kind.TOO_LARGE,
          NativeFailure.EROFS, Kind.READ_ONLY,
          NativeFailure.EPERM, Kind.DENIED,
          NativeFailure.EACCES, Kind.DENIED);
  private static final Map<Integer, String> ENGLISH =
      Map.of(
          NativeFailure.ENOSPC, "No space left on device",
          NativeFailure.EDQUOT, "Disk quota exceeded",
          NativeFailure.EFBIG, "File too large",
          NativeFailure.EROFS, "Read-only file system",
          NativeFailure.EPERM, "Operation not permitted",
          NativeFailure.EACCES, "Permission denied");

  private FileFailures() {}

  private enum Kind {
    FULL(ErrorCode.NO_SPACE, "the image directory has no space left; remove disks or enlarge it"),
    QUOTA(ErrorCode.NO_SPACE, "the quota of the image directory is used up; raise it"),
    TOO_LARGE(ErrorCode.NO_SPACE, "the file system holds no file of this size; use a smaller one"),
    READ_ONLY(
        ErrorCode.IO_ERROR,
        "the image directory is read-only; mount it for writing, and look into the kernel's log if"
            + " it became so by itself"),
    DENIED(
        ErrorCode.IO_ERROR,
        "permission denied; let the agent read and write the image directory and its files"),
    MISSING(ErrorCode.IO_ERROR, "the image directory is not there; mount or create it"),
    OTHER(ErrorCode.IO_ERROR, "the agent's and the kernel's log say why");

    private final ErrorCode code;
    private final String advice;

    Kind(ErrorCode code, String advice) {
      this.code = code;
      this.advice = advice;
    }
  }

  /**
   * @param doing what failed, with the name of the file, such as {@code "copying to 'a.img'"}
   */
  static AgentException translate(IOException failure, String doing) {
    Kind kind = kind(failure);
    return new AgentException(kind.code, doing + " failed: " + kind.advice, failure);
  }

  private static Kind kind(IOException failure) {
    if (failure instanceof NativeFailure call) {
      return KINDS.getOrDefault(call.errno(), Kind.OTHER);
    }
    if (failure instanceof AccessDeniedException) {
      return Kind.DENIED;
    }
    if (failure instanceof NoSuchFileException || failure instanceof NotDirectoryException) {
      return Kind.MISSING;
    }
    String text =
        failure instanceof FileSystemException known ? known.getReason() : failure.getMessage();
    return errno(text, LinuxFiles.get()).map(KINDS::get).orElse(Kind.OTHER);
  }

  /**
   * The number that Java lost: where it has no exception of its own, it hands on the C library's
   * text, which is in the language of the process.
   */
  static Optional<Integer> errno(String text, NativeFiles natives) {
    return KINDS.keySet().stream()
        .filter(errno -> natives.describe(errno).equals(text) || ENGLISH.get(errno).equals(text))
        .findFirst();
  }
}
