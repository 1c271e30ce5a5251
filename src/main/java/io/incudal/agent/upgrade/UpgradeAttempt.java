package io.incudal.agent.upgrade;

import io.incudal.agent.config.PanelConfig;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;

/**
 * The steps of an upgrade that touch this machine, each of them whole or undone, in the order in
 * which they have to be called.
 *
 * <p>Blocks; called on the upgrade's worker thread, one step at a time. What is left when the
 * process ends between two steps is understood by {@link Settlement}.
 */
final class UpgradeAttempt implements AutoCloseable {
  private static final Duration LOCK_LIMIT = Duration.ofSeconds(10);
  private static final Duration WATCHER_LIMIT = Duration.ofSeconds(30);

  private final PanelConfig config;
  private final UpgradePackage wanted;
  private final Tools tools;
  private final BinarySwap swap;
  private UpgradeLock lock;
  private volatile boolean ordered;

  /** What an attempt works with. */
  record Tools(UpgradeJournal journal, FileSteps files, ServiceManager service) {}

  UpgradeAttempt(PanelConfig config, UpgradePackage wanted, Tools tools) {
    this.config = config;
    this.wanted = wanted;
    this.tools = tools;
    this.swap = new BinarySwap(config.upgrade().binary().orElseThrow(), tools.files());
  }

  UpgradePackage wanted() {
    return wanted;
  }

  /** Whether the restart was ordered, so that the end of this process is part of the upgrade. */
  boolean ordered() {
    return ordered;
  }

  /** Where the download goes. */
  Path packed() {
    return swap.temporary("download");
  }

  /** Takes the lock, which this process keeps until it ends when the attempt succeeds. */
  void begin() throws IOException, InterruptedException {
    Path state = config.upgrade().stateDirectory();
    lock =
        UpgradeLock.acquire(state, UpgradeLock.ATTEMPT, LOCK_LIMIT)
            .orElseThrow(() -> new UpgradeException("another process upgrades this binary"));
    swap.sweep();
    tools.journal().enter(UpgradePhase.DOWNLOADING);
  }

  /** Checks the download, unpacks it, and runs it for its version. */
  void test() throws IOException, InterruptedException {
    tools.journal().enter(UpgradePhase.TESTING);
    PackageCheck.verify(packed(), wanted.sha256());
    if (wanted.gzip()) {
      PackageCheck.unpack(packed(), fresh());
      tools.files().delete(packed());
    } else {
      tools.files().rename(packed(), fresh());
    }
    tools.files().seal(fresh());
    VersionProbe.demand(fresh(), wanted.version());
  }

  void drain(String reason) throws IOException {
    tools.journal().enter(UpgradePhase.DRAINING, reason);
  }

  /** Puts the new file in place and orders the restart that ends this process. */
  void replace() throws IOException, InterruptedException {
    tools.journal().enter(UpgradePhase.REPLACING);
    swap.keep();
    swap.install(fresh());
    tools.journal().enter(UpgradePhase.RESTARTING);
    WatchSettings.write(config, tools.files());
    startWatcher();
    tools.service().orderRestart();
    ordered = true;
  }

  /** After a failure of any step: the running binary is in place again, nothing is left over. */
  void undo(UpgradeException failure) throws IOException {
    if (lock == null) {
      // Marker and binary are another process's now.
      tools.journal().lament(failure);
      return;
    }
    UpgradePhase phase = tools.journal().record().last().orElseThrow().phase();
    if (phase == UpgradePhase.REPLACING || phase == UpgradePhase.RESTARTING) {
      // If this fails the marker stays, and the next start watches what it finds.
      restore();
    }
    try {
      swap.sweep();
      tools.files().delete(WatchSettings.file(config.upgrade().stateDirectory()));
    } finally {
      tools.journal().fail(failure);
    }
  }

  @Override
  public void close() throws IOException {
    if (lock != null) {
      lock.close();
    }
  }

  private void restore() throws IOException {
    if (!Files.exists(fresh())) {
      swap.restore();
    }
  }

  private Path fresh() {
    return swap.temporary("new");
  }

  private void startWatcher() throws IOException, InterruptedException {
    Watchers.start(config.upgrade(), tools.service());
    long end = System.nanoTime() + WATCHER_LIMIT.toNanos();
    while (!Watchers.lives(config.upgrade())) {
      if (System.nanoTime() > end) {
        throw new UpgradeException("the watcher does not start");
      }
      Thread.sleep(200);
    }
  }
}
