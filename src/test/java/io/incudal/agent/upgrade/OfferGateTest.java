package io.incudal.agent.upgrade;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;

import io.incudal.agent.support.Origin;
import java.net.URI;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;

/** B91: an offer that is repeated with every heartbeat is taken once, and complained of once. */
class OfferGateTest {
  private static final Instant NOW = Instant.parse("2026-11-30T22:00:00Z");
  private static final String SHA = "ab".repeat(32);
  private static final String OTHER_SHA = "cd".repeat(32);

  private final OfferGate gate =
      new OfferGate(Origin.of(URI.create("https://panel.test")), "v1.0.0");

  @Test
  void takesAnotherVersionOlderOrNewer() {
    assertInstanceOf(OfferGate.Take.class, decide(offer("v1.0.1", SHA), UpgradeRecord.EMPTY, NOW));
    assertInstanceOf(OfferGate.Take.class, decide(offer("v0.9.0", SHA), UpgradeRecord.EMPTY, NOW));
  }

  @Test
  void ignoresTheRunningVersion() {
    assertEquals(new OfferGate.Ignore(), decide(offer("v1.0.0", SHA), UpgradeRecord.EMPTY, NOW));
  }

  @Test
  void complainsOnceOfTheRunningVersionInAnotherSpelling() {
    var offer = offer("1.0.0", SHA);
    assertEquals(
        new OfferGate.Refuse("?", "the version offered is not vX.Y.Z"),
        decide(offer, UpgradeRecord.EMPTY, NOW));
    assertEquals(new OfferGate.Ignore(), decide(offer, UpgradeRecord.EMPTY, NOW));
  }

  @Test
  void looksAgainWhenTheOfferChanges() {
    decide(offer("v1.0.1", ""), UpgradeRecord.EMPTY, NOW);
    assertInstanceOf(OfferGate.Take.class, decide(offer("v1.0.1", SHA), UpgradeRecord.EMPTY, NOW));
  }

  @Test
  void ignoresEveryOfferWhileAnUpgradeIsUnderWay() {
    var watched = attempt(UpgradePhase.WATCHING);
    assertEquals(new OfferGate.Ignore(), decide(offer("v1.0.2", SHA), watched, NOW));
  }

  @Test
  void leavesAFailedPackageAloneForADayButNotAnotherOne() {
    var failed = attempt(UpgradePhase.FAILED).rest(SHA, NOW);
    var offer = offer("v1.0.1", SHA);
    assertEquals(new OfferGate.Ignore(), decide(offer, failed, NOW.plus(Duration.ofHours(23))));
    assertInstanceOf(OfferGate.Take.class, decide(offer("v1.0.1", OTHER_SHA), failed, NOW));
    assertInstanceOf(OfferGate.Take.class, decide(offer, failed, NOW.plus(Duration.ofHours(24))));
  }

  @Test
  void neverTakesAPackageAgainThatWasRolledBack() {
    var rolledBack = attempt(UpgradePhase.ROLLED_BACK).ban(SHA, NOW).rest(OTHER_SHA, NOW);
    assertEquals(
        new OfferGate.Ignore(),
        decide(offer("v1.0.1", SHA), rolledBack, NOW.plus(Duration.ofDays(4000))));
  }

  @Test
  void comesBackLaterEachTimeAfterFailuresThatMayGoAway() {
    var offer = offer("v1.0.1", SHA);
    gate.failed(NOW);
    assertEquals(new OfferGate.Ignore(), decide(offer, UpgradeRecord.EMPTY, NOW.plusSeconds(59)));
    assertInstanceOf(OfferGate.Take.class, decide(offer, UpgradeRecord.EMPTY, NOW.plusSeconds(60)));
    gate.failed(NOW);
    assertEquals(new OfferGate.Ignore(), decide(offer, UpgradeRecord.EMPTY, NOW.plusSeconds(119)));
    for (int i = 0; i < 100; i++) {
      gate.failed(NOW);
    }
    assertInstanceOf(
        OfferGate.Take.class, decide(offer, UpgradeRecord.EMPTY, NOW.plus(Duration.ofHours(1))));
  }

  private OfferGate.Decision decide(
      UpgradeMessages.Offer offer, UpgradeRecord record, Instant now) {
    return gate.decide(offer, record, now);
  }

  private static UpgradeMessages.Offer offer(String version, String sha256) {
    return new UpgradeMessages.Offer(
        version, "https://panel.test/b", sha256, false, OptionalLong.empty());
  }

  private static UpgradeRecord attempt(UpgradePhase phase) {
    return UpgradeRecord.EMPTY.with(
        new UpgradeRecord.Attempt(phase, "v1.0.1", "v1.0.0", SHA, Optional.empty(), NOW));
  }
}
