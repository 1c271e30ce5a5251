package io.incudal.agent.upgrade;

import io.incudal.agent.config.UpgradeConfig;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;

/**
 * What an agent does at its start, and after its first accepted heartbeat, about an upgrade that an
 * earlier process began: possibly the one that brought this very version here.
 *
 * <p>Blocks; worker threads only.
 */
final class Homecoming {
  /** The watcher holds the lock for moments; an older agent, until it has ended. */
  private static final Duration LOCK_LIMIT = Duration.ofSeconds(20);

  private final UpgradeConfig config;
  private final UpgradeJournal journal;
  private final FileSteps files;
  private final ServiceManager service;

  Homecoming(
      UpgradeConfig config, UpgradeJournal journal, FileSteps files, ServiceManager service) {
    this.config = config;
    this.journal = journal;
    this.files = files;
    this.service = service;
  }

  void settle(String running) throws IOException, InterruptedException {
    UpgradeLock lock = lock();
    try {
      journal.load();
      journal.apply(record -> Settlement.settle(record, running, Instant.now()));
      new BinarySwap(config.binary().orElseThrow(), files).sweep();
      forgetSettings();
    } finally {
      lock.close();
    }
    if (Settlement.needsWatcher(journal.record()) && !Watchers.lives(config)) {
      Watchers.start(config, service);
    }
  }

  /** Unless the watcher was quicker and puts the backup back. */
  void confirm(String running) throws IOException, InterruptedException {
    UpgradeLock lock = lock();
    try {
      journal.load();
      boolean mine =
          journal
              .record()
              .last()
              .filter(last -> last.phase() == UpgradePhase.WATCHING)
              .filter(last -> last.version().equals(running))
              .isPresent();
      if (mine) {
        journal.enter(UpgradePhase.COMPLETED);
      }
      forgetSettings();
    } finally {
      lock.close();
    }
  }

  private UpgradeLock lock() throws IOException, InterruptedException {
    return UpgradeLock.acquire(config.stateDirectory(), UpgradeLock.ATTEMPT, LOCK_LIMIT)
        .orElseThrow(() -> new IOException("another process holds the upgrade's lock"));
  }

  private void forgetSettings() throws IOException {
    if (!Settlement.needsWatcher(journal.record())) {
      files.delete(WatchSettings.file(config.stateDirectory()));
    }
  }
}
