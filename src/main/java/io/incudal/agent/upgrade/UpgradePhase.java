package io.incudal.agent.upgrade;

import java.util.Locale;

/**
 * How far an upgrade is. The one vocabulary of the marker file, the log and the heartbeat; the
 * order is that of time.
 */
enum UpgradePhase {
  /** Sits out its random delay. */
  WAITING(Binary.OLD),
  DOWNLOADING(Binary.OLD),
  /** Checks the hash, unpacks, and asks the new file for its version. */
  TESTING(Binary.OLD),
  /** Waits until no operation is under way. */
  DRAINING(Binary.OLD),
  /** Keeps the backup and moves the new file into place: either may be there after a crash. */
  REPLACING(Binary.EITHER),
  RESTARTING(Binary.NEW),
  /** The new version runs, and has to get a heartbeat accepted. */
  WATCHING(Binary.NEW),
  /** The backup is being put back: either may be there after a crash. */
  ROLLING_BACK(Binary.EITHER),
  COMPLETED(Binary.SETTLED),
  ROLLED_BACK(Binary.SETTLED),
  FAILED(Binary.SETTLED),
  /** The offer was never taken up. */
  REFUSED(Binary.SETTLED);

  /** Which file stands in the binary's place, by the word of the marker alone. */
  enum Binary {
    OLD,
    EITHER,
    NEW,
    SETTLED
  }

  private final Binary binary;

  UpgradePhase(Binary binary) {
    this.binary = binary;
  }

  /** Whether nothing more will come of it. */
  boolean settled() {
    return binary == Binary.SETTLED;
  }

  /** Whether the running binary has not been touched yet. */
  boolean beforeSwap() {
    return binary == Binary.OLD;
  }

  /** As the panel sees it, such as {@code rolled_back}. */
  String word() {
    return name().toLowerCase(Locale.ROOT);
  }
}
