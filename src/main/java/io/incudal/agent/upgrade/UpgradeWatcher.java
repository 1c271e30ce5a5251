package io.incudal.agent.upgrade;

import io.incudal.agent.config.PanelConfig;
import io.incudal.agent.config.UpgradeConfig;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The process that watches a new version, run from the backup and outside the service: it ends when
 * the new version has proven itself, or puts the backup back.
 *
 * <p>A loop on the main thread of a process of its own; blocks and sleeps. Killed at any moment, it
 * is started again, by systemd or by the next start of the agent, and goes on from the marker.
 */
public final class UpgradeWatcher {
  private static final Logger LOG = LoggerFactory.getLogger(UpgradeWatcher.class);
  private static final int RESTART_TRIES = 5;

  private final UpgradeConfig config;
  private final Tools tools;
  private final MarkerFile marker;
  private final BinarySwap swap;

  /**
   * What the watcher works with.
   *
   * @param tick from one look to the next
   */
  record Tools(ServiceManager service, FileSteps files, OldVersion old, Duration tick) {}

  /** The old version's word on the panel. */
  interface OldVersion {
    /** Whether a heartbeat of it is accepted. */
    boolean isHeard() throws IOException, InterruptedException;
  }

  UpgradeWatcher(UpgradeConfig config, Tools tools) {
    this.config = config;
    this.tools = tools;
    this.marker = new MarkerFile(config.stateDirectory(), tools.files());
    this.swap = new BinarySwap(config.binary().orElseThrow(), tools.files());
  }

  /** The watcher of this machine's service. */
  public static UpgradeWatcher of(PanelConfig panel) {
    UpgradeConfig config = panel.upgrade();
    Path backup = new BinarySwap(config.binary().orElseThrow(), new DiskSteps()).backup();
    String settings = WatchSettings.file(config.stateDirectory()).toString();
    Duration limit = panel.requestTimeout().plusSeconds(30);
    OldVersion old =
        () -> Commands.run(limit, List.of(backup.toString(), "-config", settings, "-once")).ok();
    return new UpgradeWatcher(
        config,
        new Tools(new Systemd(config.service()), new DiskSteps(), old, Duration.ofSeconds(1)));
  }

  /** Returns when there is nothing left to watch. */
  public void watch() throws IOException, InterruptedException {
    Optional<UpgradeLock> only =
        UpgradeLock.tryAcquire(config.stateDirectory(), UpgradeLock.WATCHER);
    if (only.isEmpty()) {
      LOG.info("upgrade is watched by another process already");
      return;
    }
    try {
      // The agent that ordered the upgrade holds the lock until it has ended or given up.
      lock().close();
      loop();
    } finally {
      only.get().close();
    }
  }

  private void loop() throws IOException, InterruptedException {
    long start = System.nanoTime();
    var judge = new WatchJudge(config.watchWindow(), tools.service().state().restarts());
    boolean watching = true;
    while (watching) {
      try {
        watching = look(judge, Duration.ofNanos(System.nanoTime() - start));
      } catch (IOException | UpgradeException trouble) {
        // A disk or a systemd in trouble now may be well again at the next look.
        LOG.error("upgrade cannot be watched now", trouble);
      }
      Thread.sleep(tools.tick().toMillis());
    }
  }

  /** False when there is nothing left to watch. */
  private boolean look(WatchJudge judge, Duration elapsed)
      throws IOException, InterruptedException {
    var last = unsettled();
    if (last.isEmpty()) {
      return false;
    }
    WatchJudge.Verdict verdict =
        last.get().phase() == UpgradePhase.ROLLING_BACK
            ? WatchJudge.Verdict.ROLL_BACK_DEAD
            : judge.look(tools.service().state(), elapsed);
    if (verdict == WatchJudge.Verdict.ASK_PANEL) {
      verdict = judge.answered(tools.old().isHeard(), elapsed);
    }
    switch (verdict) {
      case ROLL_BACK_DEAD, ROLL_BACK_MUTE -> rollBack(reason(verdict, last.get()));
      case GIVE_UP -> {
        LOG.warn("upgrade is watched no longer version={}", last.get().version());
        return false;
      }
      default -> {}
    }
    return true;
  }

  private Optional<UpgradeRecord.Attempt> unsettled() throws IOException {
    return marker.read().last().filter(last -> !last.phase().settled());
  }

  private static String reason(WatchJudge.Verdict verdict, UpgradeRecord.Attempt last) {
    return last.reason()
        .orElse(
            verdict == WatchJudge.Verdict.ROLL_BACK_DEAD
                ? last.version() + " died again and again"
                : "no heartbeat of "
                    + last.version()
                    + " was accepted, while one of "
                    + last.from()
                    + " is");
  }

  private void rollBack(String reason) throws IOException, InterruptedException {
    UpgradeLock lock = lock();
    try {
      var last = unsettled();
      if (last.isEmpty()) {
        // Its heartbeat was accepted at the last moment.
        return;
      }
      LOG.warn(
          "upgrade is rolled back version={} to={} reason=\"{}\"",
          last.get().version(),
          last.get().from(),
          reason);
      UpgradeRecord record = marker.read();
      marker.write(record.with(last.get().enter(UpgradePhase.ROLLING_BACK, reason, Instant.now())));
      swap.restore();
    } finally {
      lock.close();
    }
    if (restart()) {
      settle(reason);
    }
  }

  /** Not under the lock, which the old version needs at its start. */
  private boolean restart() throws InterruptedException, IOException {
    for (int tries = 1; tries <= RESTART_TRIES; tries++) {
      if (tools.service().restart()) {
        return true;
      }
      LOG.error("service cannot be restarted unit={} try={}", config.service(), tries);
      Thread.sleep(tools.tick().toMillis() * 5);
    }
    return false;
  }

  /** Unless the old version, at its start, was quicker. */
  private void settle(String reason) throws IOException, InterruptedException {
    UpgradeLock lock = lock();
    try {
      UpgradeRecord record = marker.read();
      var last = record.last().filter(open -> !open.phase().settled());
      if (last.isPresent()) {
        Instant now = Instant.now();
        marker.write(
            record
                .with(last.get().enter(UpgradePhase.ROLLED_BACK, reason, now))
                .ban(last.get().sha256(), now));
      }
      tools.files().delete(WatchSettings.file(config.stateDirectory()));
    } finally {
      lock.close();
    }
  }

  private UpgradeLock lock() throws IOException, InterruptedException {
    Optional<UpgradeLock> lock = Optional.empty();
    while (lock.isEmpty()) {
      lock =
          UpgradeLock.acquire(config.stateDirectory(), UpgradeLock.ATTEMPT, Duration.ofMinutes(1));
    }
    return lock.get();
  }
}
