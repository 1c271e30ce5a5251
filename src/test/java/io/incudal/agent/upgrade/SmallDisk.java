package io.incudal.agent.upgrade;

import java.io.IOException;
import java.nio.file.Path;

/** A file system of one MiB over a directory, for as long as it is open. Needs root. */
final class SmallDisk implements AutoCloseable {
  private final Path directory;

  SmallDisk(Path directory) throws IOException {
    this.directory = directory;
    run("mount", "-t", "tmpfs", "-o", "size=1m,mode=755", "tmpfs", directory.toString());
  }

  void readOnly() throws IOException {
    run("mount", "-o", "remount,ro", directory.toString());
  }

  @Override
  public void close() throws IOException {
    run("umount", directory.toString());
  }

  private static void run(String... command) throws IOException {
    Process process = new ProcessBuilder(command).inheritIO().start();
    if (process.onExit().join().exitValue() != 0) {
      throw new IOException(String.join(" ", command) + " failed");
    }
  }
}
