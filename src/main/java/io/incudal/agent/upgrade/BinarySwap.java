package io.incudal.agent.upgrade;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * The running binary, its backup beside it, and what takes their places. The file under the
 * binary's name is a complete old or a complete new one at every moment; no file that runs is ever
 * written to.
 *
 * <p>Blocks; worker threads and the watcher only.
 */
final class BinarySwap {
  private final Path binary;
  private final FileSteps steps;

  BinarySwap(Path binary, FileSteps steps) {
    this.binary = binary;
    this.steps = steps;
  }

  Path backup() {
    return binary.resolveSibling(binary.getFileName() + ".bak");
  }

  /** Where a download goes: beside the binary, so that moving it into place is a rename. */
  Path temporary(String purpose) {
    return binary.resolveSibling(prefix() + purpose);
  }

  /** Keeps the running binary as the backup. */
  void keep() throws IOException {
    replace(binary, backup());
  }

  /** The new file, sealed before, becomes the binary. */
  void install(Path fresh) throws IOException {
    steps.rename(fresh, binary);
  }

  /** The backup becomes the binary, and stays the backup. */
  void restore() throws IOException {
    replace(backup(), binary);
  }

  /** Removes what an attempt that ended half-way left behind. */
  void sweep() throws IOException {
    List<Path> left = new ArrayList<>();
    try (DirectoryStream<Path> entries =
        Files.newDirectoryStream(
            binary.getParent(), entry -> entry.getFileName().toString().startsWith(prefix()))) {
      entries.forEach(left::add);
    }
    for (Path file : left) {
      steps.delete(file);
    }
  }

  private void replace(Path source, Path target) throws IOException {
    Path second = temporary("link");
    steps.delete(second);
    steps.link(source, second);
    steps.rename(second, target);
    // Two names of one file are left alone by a rename; after a roll-back they may be that.
    steps.delete(second);
  }

  private String prefix() {
    return "." + binary.getFileName() + ".upgrade-";
  }
}
