package io.incudal.agent.panel;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The time by the panel's clock, as far as it is known: this machine's, until the panel says that
 * the two differ. A signature outside the panel's window looks just like a revoked key otherwise.
 *
 * <p>Read from any thread; taught by one.
 */
final class PanelClock {
  private static final Logger LOG = LoggerFactory.getLogger(PanelClock.class);

  private final InstantSource local;
  private volatile Duration offset = Duration.ZERO;

  PanelClock(InstantSource local) {
    this.local = local;
  }

  Instant now() {
    return local.instant().plus(offset);
  }

  /** Learns from a refusal for a signature's age. Other outcomes say nothing about the clock. */
  void learn(BeatOutcome outcome) {
    if (outcome instanceof BeatOutcome.Refused refused && refused.isExpired()) {
      refused.date().ifPresent(this::adopt);
    }
  }

  private void adopt(Instant panel) {
    Duration before = offset;
    Duration found = Duration.between(local.instant(), panel);
    offset = isNoise(found) ? Duration.ZERO : found;
    if (offset.isZero()) {
      LOG.info("clock skew is gone");
    } else if (!isNoise(offset.minus(before))) {
      LOG.warn(
          "clock skew panel_ahead_seconds={} hint=\"set this machine's clock\"",
          offset.toSeconds());
    }
  }

  /** The Date header has whole seconds, and takes its time to get here. */
  private static boolean isNoise(Duration difference) {
    return difference.abs().compareTo(Duration.ofSeconds(3)) < 0;
  }
}
