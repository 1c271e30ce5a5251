package io.incudal.agent.upgrade;

import java.io.IOException;
import java.nio.file.Path;

/**
 * The changes that an upgrade makes to a disk, each of them whole or not at all. An interface, so
 * that a test can end the process, or fail the disk, at every single one.
 */
interface FileSteps {
  /** A new file with this content, on the disk for good. */
  void write(Path file, byte[] content) throws IOException;

  /** A second name for the same file, or a copy where the file system has no such thing. */
  void link(Path file, Path second) throws IOException;

  /** Takes the place of what is there. Both are in one directory. */
  void rename(Path from, Path to) throws IOException;

  /** Gone, or was not there. */
  void delete(Path file) throws IOException;

  /** Executable, and on the disk for good. */
  void seal(Path file) throws IOException;
}
