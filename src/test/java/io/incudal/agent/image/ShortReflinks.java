package io.incudal.agent.image;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;

/** A kernel that reports a reflink done after so many bytes, and can do nothing else. */
final class ShortReflinks implements NativeFiles {
  private final long bytes;
  private final Map<Integer, Path> files = new HashMap<>();

  ShortReflinks(long bytes) {
    this.bytes = bytes;
  }

  @Override
  public int open(Path file, boolean writable) {
    files.put(files.size(), file);
    return files.size() - 1;
  }

  @Override
  public void reflink(int source, int target) throws NativeFailure {
    try (var file = new RandomAccessFile(files.get(target).toFile(), "rw")) {
      file.write(Files.readAllBytes(files.get(source)), 0, (int) bytes);
    } catch (IOException failed) {
      throw new NativeFailure(failed.getMessage(), NativeFailure.EIO);
    }
  }
}
