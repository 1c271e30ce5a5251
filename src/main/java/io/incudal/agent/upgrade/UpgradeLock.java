package io.incudal.agent.upgrade;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.Optional;

/**
 * A lock of the operating system on a file in the state directory: it ends with the process that
 * holds it, however that process ends. The file stays, and means nothing.
 */
final class UpgradeLock implements AutoCloseable {
  /** Held by who changes binary or marker: an agent during its attempt, the watcher at moments. */
  static final String ATTEMPT = "upgrade.lock";

  /** Held by the watcher for as long as it lives, so that others see that there is one. */
  static final String WATCHER = "watch.lock";

  private static final Duration STEP = Duration.ofMillis(100);

  private final FileChannel channel;

  private UpgradeLock(FileChannel channel) {
    this.channel = channel;
  }

  /** Empty when another process, or another part of this one, holds it. */
  static Optional<UpgradeLock> tryAcquire(Path stateDirectory, String name) throws IOException {
    FileChannel channel =
        FileChannel.open(
            stateDirectory.resolve(name), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
    FileLock lock = null;
    try {
      lock = channel.tryLock();
    } catch (OverlappingFileLockException heldHere) {
      // As good as held by another process.
    } finally {
      if (lock == null) {
        channel.close();
      }
    }
    return lock == null ? Optional.empty() : Optional.of(new UpgradeLock(channel));
  }

  /** Waits for it. Worker threads and the watcher only. */
  static Optional<UpgradeLock> acquire(Path stateDirectory, String name, Duration limit)
      throws IOException, InterruptedException {
    long end = System.nanoTime() + limit.toNanos();
    Optional<UpgradeLock> lock = tryAcquire(stateDirectory, name);
    while (lock.isEmpty() && System.nanoTime() < end) {
      Thread.sleep(STEP.toMillis());
      lock = tryAcquire(stateDirectory, name);
    }
    return lock;
  }

  static boolean isHeld(Path stateDirectory, String name) throws IOException {
    Optional<UpgradeLock> lock = tryAcquire(stateDirectory, name);
    if (lock.isPresent()) {
      lock.get().close();
    }
    return lock.isEmpty();
  }

  @Override
  public void close() throws IOException {
    channel.close();
  }
}
