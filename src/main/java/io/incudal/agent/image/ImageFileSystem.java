package io.incudal.agent.image;

import java.io.IOException;
import java.nio.file.Path;

/**
 * The file system that holds the image directory.
 *
 * @param type as the kernel calls it, or {@code unknown}
 */
public record ImageFileSystem(String type) {
  /** Looks at the process's mounts; symbolic links of the directory are followed. Blocking. */
  static ImageFileSystem of(Path directory) throws IOException {
    return of(directory, MountTable.read());
  }

  static ImageFileSystem of(Path directory, MountTable table) {
    return new ImageFileSystem(
        table.holding(resolve(directory)).map(MountTable.Mount::type).orElse("unknown"));
  }

  /** How a master becomes a disk here, in the words of the API's contract. */
  public String cloneMode() {
    return switch (type) {
      case "btrfs", "xfs" ->
          "reflink (FICLONE; xfs requires the reflink feature enabled) -> shutil.copy fallback";
      case "zfs" ->
          "reflink (FICLONE on OpenZFS >= 2.2, master and work disk in the same dataset)"
              + " -> shutil.copy fallback";
      default -> "full copy only (reflink unsupported on " + type + ")";
    };
  }

  private static Path resolve(Path directory) {
    try {
      return directory.toRealPath();
    } catch (IOException missing) {
      return directory.toAbsolutePath().normalize();
    }
  }
}
