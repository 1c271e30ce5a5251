package io.incudal.agent.upgrade;

import io.incudal.agent.bus.Addresses;
import io.incudal.agent.bus.Bus;
import java.io.IOException;
import java.time.InstantSource;
import java.util.Optional;
import java.util.function.UnaryOperator;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The upgrade's memory in this process: every change of phase goes to the marker file first, then
 * to the log and the bus.
 *
 * <p>Changed on the upgrade's worker thread, under the lock; read from any thread.
 */
final class UpgradeJournal {
  private static final Logger LOG = LoggerFactory.getLogger(UpgradeJournal.class);

  private final MarkerFile file;
  private final Bus bus;
  private final InstantSource clock;
  private volatile UpgradeRecord record = UpgradeRecord.EMPTY;

  UpgradeJournal(MarkerFile file, Bus bus, InstantSource clock) {
    this.file = file;
    this.bus = bus;
    this.clock = clock;
  }

  UpgradeRecord record() {
    return record;
  }

  /** Takes over what an earlier process, or the watcher, has written. */
  void load() throws IOException {
    record = file.read();
  }

  void enter(UpgradePhase phase) throws IOException {
    change(record.with(last().enter(phase, clock.instant())));
  }

  void enter(UpgradePhase phase, String reason) throws IOException {
    change(record.with(last().enter(phase, reason, clock.instant())));
  }

  /** A new attempt. The marker learns of it with the first phase that touches the disk. */
  void open(UpgradePackage wanted, String running) {
    adopt(
        record.with(
            new UpgradeRecord.Attempt(
                UpgradePhase.WAITING,
                wanted.version(),
                running,
                wanted.sha256(),
                Optional.empty(),
                clock.instant())));
  }

  /** Told, but not kept: an offer that was never taken up leaves no trace on the disk. */
  void refuse(String version, String reason) {
    adopt(
        record.with(
            new UpgradeRecord.Attempt(
                UpgradePhase.REFUSED, version, "", "", Optional.of(reason), clock.instant())));
  }

  void fail(UpgradeException failure) throws IOException {
    // Told first: a disk that takes no marker is no reason for silence.
    lament(failure);
    file.write(record);
  }

  /** Tells of a failure without keeping it. */
  void lament(UpgradeException failure) {
    UpgradeRecord failed =
        record.with(last().enter(UpgradePhase.FAILED, failure.getMessage(), clock.instant()));
    adopt(failure.packageFault() ? failed.rest(last().sha256(), clock.instant()) : failed);
  }

  /** Changes the record by a pure function; nothing happens when it changes nothing. */
  void apply(UnaryOperator<UpgradeRecord> change) throws IOException {
    UpgradeRecord next = change.apply(record);
    if (!next.equals(record)) {
      change(next);
    }
  }

  private void change(UpgradeRecord next) throws IOException {
    file.write(next);
    adopt(next);
  }

  private void adopt(UpgradeRecord next) {
    record = next;
    UpgradeRecord.Attempt attempt = last();
    String reason = attempt.reason().map(why -> " reason=\"" + why + "\"").orElse("");
    switch (attempt.phase()) {
      case FAILED, ROLLING_BACK, ROLLED_BACK, REFUSED ->
          LOG.warn("upgrade {} version={}{}", attempt.phase().word(), attempt.version(), reason);
      default ->
          LOG.info("upgrade {} version={}{}", attempt.phase().word(), attempt.version(), reason);
    }
    bus.publish(Addresses.EVENT_UPGRADE, new UpgradeMessages.StatusChanged(attempt.view()));
  }

  private UpgradeRecord.Attempt last() {
    return record.last().orElseThrow();
  }
}
