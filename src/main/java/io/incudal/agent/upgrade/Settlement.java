package io.incudal.agent.upgrade;

import java.time.Instant;

/**
 * What an agent makes, at its start, of an attempt that an earlier process left unfinished: the
 * marker says how far it came, and the version that runs says which file is in place. Pure.
 */
final class Settlement {
  private Settlement() {}

  /**
   * @param running the version of this process
   */
  static UpgradeRecord settle(UpgradeRecord record, String running, Instant now) {
    return record.last().map(last -> settle(record, last, running, now)).orElse(record);
  }

  private static UpgradeRecord settle(
      UpgradeRecord record, UpgradeRecord.Attempt last, String running, Instant now) {
    if (last.phase().settled()) {
      return record;
    }
    if (last.phase() == UpgradePhase.ROLLING_BACK && !running.equals(last.version())) {
      String reason = last.reason().orElse("no reason was kept");
      return record.with(last.enter(UpgradePhase.ROLLED_BACK, reason, now)).ban(last.sha256(), now);
    }
    if (!last.phase().beforeSwap() && running.equals(last.version())) {
      // A roll-back that did not come to its end stays one; the watcher goes on with it.
      return last.phase() == UpgradePhase.ROLLING_BACK
          ? record
          : record.with(last.enter(UpgradePhase.WATCHING, now));
    }
    String reason =
        running.equals(last.from())
            ? "interrupted while " + last.phase().word()
            : "version " + running + " was installed in another way";
    return record.with(last.enter(UpgradePhase.FAILED, reason, now));
  }

  /** Whether there has to be a watcher now. */
  static boolean needsWatcher(UpgradeRecord record) {
    return record
        .last()
        .filter(last -> !last.phase().settled() && !last.phase().beforeSwap())
        .isPresent();
  }
}
