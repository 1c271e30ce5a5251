package io.incudal.agent.image;

import io.incudal.agent.bus.AgentException;
import io.incudal.agent.bus.ErrorCode;
import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;

/** Says what a caller can do about a failed file operation; its own words go to the log only. */
final class FileFailures {
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
      return ofNumber(call.errno());
    }
    if (failure instanceof AccessDeniedException) {
      return Kind.DENIED;
    }
    if (failure instanceof NoSuchFileException || failure instanceof NotDirectoryException) {
      return Kind.MISSING;
    }
    // Java hands on the C library's text where it has no exception of its own.
    return ofText(
        failure instanceof FileSystemException known ? known.getReason() : failure.getMessage());
  }

  private static Kind ofNumber(int errno) {
    return switch (errno) {
      case NativeFailure.ENOSPC -> Kind.FULL;
      case NativeFailure.EDQUOT -> Kind.QUOTA;
      case NativeFailure.EFBIG -> Kind.TOO_LARGE;
      case NativeFailure.EROFS -> Kind.READ_ONLY;
      case NativeFailure.EPERM, NativeFailure.EACCES -> Kind.DENIED;
      default -> Kind.OTHER;
    };
  }

  private static Kind ofText(String text) {
    return switch (String.valueOf(text)) {
      case "No space left on device" -> Kind.FULL;
      case "Disk quota exceeded" -> Kind.QUOTA;
      case "File too large" -> Kind.TOO_LARGE;
      case "Read-only file system" -> Kind.READ_ONLY;
      case "Operation not permitted", "Permission denied" -> Kind.DENIED;
      default -> Kind.OTHER;
    };
  }
}
