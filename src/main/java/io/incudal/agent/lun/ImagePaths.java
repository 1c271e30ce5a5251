package io.incudal.agent.lun;

import io.vertx.core.Future;
import io.vertx.core.WorkerExecutor;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * The paths under which the image directory is known: as configured, and with its symbolic links
 * followed. Looks at the disk on the given pool only.
 */
final class ImagePaths {
  private final Path configured;
  private final WorkerExecutor files;
  private Set<Path> all;

  ImagePaths(Path configured, WorkerExecutor files) {
    this.configured = configured.toAbsolutePath().normalize();
    this.files = files;
    this.all = Set.of(this.configured);
  }

  Path configured() {
    return configured;
  }

  Set<Path> all() {
    return all;
  }

  /** What is there now: device and inode, empty when there is no directory. Never fails. */
  Future<Optional<String>> look() {
    return files
        .executeBlocking(
            () -> {
              Path real = configured.toRealPath();
              return Map.entry(real, identity(real));
            },
            false)
        .map(
            found -> {
              all =
                  found.getKey().equals(configured)
                      ? Set.of(configured)
                      : Set.of(configured, found.getKey());
              return Optional.of(found.getValue());
            })
        .otherwise(Optional.empty());
  }

  private static String identity(Path directory) throws IOException {
    Map<String, Object> now = Files.readAttributes(directory, "unix:dev,ino");
    return now.get("dev") + ":" + now.get("ino");
  }
}
