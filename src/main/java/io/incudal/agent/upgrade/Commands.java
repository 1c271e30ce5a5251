package io.incudal.agent.upgrade;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;

/** Runs a program of this host and waits for it. Blocks; worker threads and the watcher only. */
final class Commands {
  /** The agent's own settings, secrets among them, are nobody else's business. */
  private static final Set<String> HANDED_ON = Set.of("PATH", "HOME", "LANG", "INCUDAL_STATE_DIR");

  private Commands() {}

  /**
   * @param exit negative when the program was ended because its time was up
   * @param output both streams
   */
  record Result(int exit, String output) {
    boolean ok() {
      return exit == 0;
    }
  }

  /** A program that says more than a pipe holds runs into the limit; none of ours does. */
  static Result run(Duration limit, List<String> command) throws IOException, InterruptedException {
    ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
    builder.environment().keySet().retainAll(HANDED_ON);
    Process process = builder.start();
    try {
      process.getOutputStream().close();
      // Not until the end of its output: a child that it left behind may keep the pipe open.
      boolean ended = process.waitFor(limit.toMillis(), TimeUnit.MILLISECONDS);
      return new Result(ended ? process.exitValue() : -1, output(process.getInputStream()));
    } finally {
      process.descendants().forEach(ProcessHandle::destroyForcibly);
      process.destroyForcibly();
    }
  }

  private static String output(InputStream stream) throws IOException {
    return new String(stream.readNBytes(stream.available()), StandardCharsets.UTF_8).strip();
  }
}
