package io.incudal.agent.lab;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** Runs a program of this machine to its end; for tests, which may block. */
public final class Cli {
  private static final long SECONDS = 60;

  private Cli() {}

  /** What a program left: both streams together, as a terminal would show them. */
  public record Output(List<String> command, int exitCode, String text) {
    public boolean ok() {
      return exitCode == 0;
    }

    /** The text of a program that must have worked. */
    public String orFail() {
      if (!ok()) {
        throw new IllegalStateException(
            String.join(" ", command) + " exited with " + exitCode + ": " + text);
      }
      return text.strip();
    }
  }

  public static Output run(String... command) {
    return run(List.of(command));
  }

  /** A program that does not end by itself is killed after a minute and counts as failed. */
  public static Output run(List<String> command) {
    try {
      Path text = Files.createTempFile("lab-cli", ".txt");
      try {
        Process process =
            new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(text.toFile())
                .redirectInput(ProcessBuilder.Redirect.from(Path.of("/dev/null").toFile()))
                .start();
        if (!process.waitFor(SECONDS, TimeUnit.SECONDS)) {
          process.destroyForcibly().waitFor();
        }
        String all = Files.readString(text, StandardCharsets.UTF_8);
        return new Output(command, process.exitValue(), all);
      } finally {
        Files.delete(text);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted while " + command + " ran", e);
    }
  }
}
