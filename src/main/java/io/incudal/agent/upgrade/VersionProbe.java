package io.incudal.agent.upgrade;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

/** Runs a new file for the first time: does it work here, and is it what it was said to be? */
final class VersionProbe {
  /** Unpacking a release on a slow disk takes its time. */
  private static final Duration LIMIT = Duration.ofMinutes(2);

  private static final int BUSY_TRIES = 10;
  private static final String CANNOT_RUN = "the new file does not run on this machine";

  private VersionProbe() {}

  static void demand(Path file, String version) throws IOException, InterruptedException {
    Commands.Result result = run(List.of(file.toString(), "--version"));
    if (!result.ok()) {
      throw UpgradeException.ofPackage(CANNOT_RUN);
    }
    if (!List.of(result.output().split("\\s+")).contains(version)) {
      throw UpgradeException.ofPackage("the new file is not version " + version);
    }
  }

  /**
   * A process that another thread starts holds, for a moment, the handle through which the file was
   * written, and the kernel runs no file that may be written to (Go issue 22315 tells it well).
   */
  private static Commands.Result run(List<String> command)
      throws IOException, InterruptedException {
    for (int left = BUSY_TRIES; ; left--) {
      try {
        return Commands.run(LIMIT, command);
      } catch (IOException failure) {
        if (left == 0 || !String.valueOf(failure.getMessage()).contains("Text file busy")) {
          throw UpgradeException.ofPackage(CANNOT_RUN);
        }
        Thread.sleep(100);
      }
    }
  }
}
