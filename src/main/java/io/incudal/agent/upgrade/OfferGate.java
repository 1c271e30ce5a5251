package io.incudal.agent.upgrade;

import io.incudal.agent.support.Origin;
import java.time.Duration;
import java.time.Instant;

/**
 * Decides what to do about an offer, which the panel repeats with every heartbeat.
 *
 * <p>Pure but for its memory; knows no clock and no network. Used by one thread.
 */
final class OfferGate {
  private static final Duration FIRST_PAUSE = Duration.ofMinutes(1);
  private static final Duration LONGEST_PAUSE = Duration.ofHours(1);

  private final Origin panel;
  private final String running;
  private UpgradeMessages.Offer refused;
  private Instant notBefore = Instant.MIN;
  private int failures;

  /**
   * @param running the version of this process
   */
  OfferGate(Origin panel, String running) {
    this.panel = panel;
    this.running = running;
  }

  /** What to do about an offer. */
  sealed interface Decision {}

  /** Nothing, and nothing to tell that was not told before. */
  record Ignore() implements Decision {}

  /**
   * Nothing, and the reason is new.
   *
   * @param version as far as it can be repeated
   */
  record Refuse(String version, String reason) implements Decision {}

  record Take(UpgradePackage wanted) implements Decision {}

  Decision decide(UpgradeMessages.Offer offer, UpgradeRecord record, Instant now) {
    boolean underWay = record.last().filter(last -> !last.phase().settled()).isPresent();
    if (underWay || offer.version().equals(running) || offer.equals(refused)) {
      return new Ignore();
    }
    try {
      UpgradePackage wanted = UpgradePackage.of(offer, panel);
      return record.rejects(wanted.sha256(), now) || now.isBefore(notBefore)
          ? new Ignore()
          : new Take(wanted);
    } catch (UpgradeException unfit) {
      refuse(offer);
      return new Refuse(
          UpgradePackage.isVersion(offer.version()) ? offer.version() : "?", unfit.getMessage());
    }
  }

  /** The same offer is not looked at again. */
  void refuse(UpgradeMessages.Offer offer) {
    refused = offer;
  }

  /** An attempt failed for a reason that may go away; the next one comes later each time. */
  void failed(Instant now) {
    Duration pause = FIRST_PAUSE.multipliedBy(1L << Math.min(failures, 10));
    notBefore = now.plus(pause.compareTo(LONGEST_PAUSE) < 0 ? pause : LONGEST_PAUSE);
    failures++;
  }
}
