package io.incudal.agent.image;

import java.io.IOException;
import java.nio.file.Path;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The file system that holds the image directory.
 *
 * @param type as the kernel calls it, or {@code unknown}
 */
public record ImageFileSystem(String type) {
  private static final Logger LOG = LoggerFactory.getLogger(ImageFileSystem.class);
  private static final String UNKNOWN = "unknown";

  /** Looks at the process's mounts; symbolic links of the directory are followed. Blocking. */
  static ImageFileSystem of(Path directory) {
    try {
      return of(directory, MountTable.read());
    } catch (IOException hidden) {
      LOG.warn("mounts of this host cannot be read reason={}", hidden.toString());
      return new ImageFileSystem(UNKNOWN);
    }
  }

  static ImageFileSystem of(Path directory, MountTable table) {
    return new ImageFileSystem(
        table.holding(resolve(directory)).map(MountTable.Mount::type).orElse(UNKNOWN));
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
