package io.incudal.agent.upgrade;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Instant;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** B93: no attempt stays under way for ever. */
class SettlementTest {
  private static final Instant NOW = Instant.parse("2026-11-30T22:00:00Z");
  private static final String SHA = "ab".repeat(32);

  @ParameterizedTest(name = "{0}, and {1} runs: {2}, watcher {3}")
  @CsvSource({
    "DOWNLOADING,  v1.0.0, FAILED,       false",
    "TESTING,      v1.0.0, FAILED,       false",
    "DRAINING,     v1.0.0, FAILED,       false",
    "REPLACING,    v1.0.0, FAILED,       false",
    "REPLACING,    v1.0.1, WATCHING,     true",
    "RESTARTING,   v1.0.1, WATCHING,     true",
    "RESTARTING,   v1.0.0, FAILED,       false",
    "WATCHING,     v1.0.1, WATCHING,     true",
    "WATCHING,     v1.0.0, FAILED,       false",
    "WATCHING,     v7.0.0, FAILED,       false",
    "ROLLING_BACK, v1.0.0, ROLLED_BACK,  false",
    "ROLLING_BACK, v1.0.1, ROLLING_BACK, true",
    "ROLLING_BACK, v7.0.0, ROLLED_BACK,  false",
    "COMPLETED,    v1.0.1, COMPLETED,    false",
    "ROLLED_BACK,  v1.0.0, ROLLED_BACK,  false",
    "FAILED,       v1.0.0, FAILED,       false"
  })
  void settlesByTheMarkerAndTheVersionThatRuns(
      UpgradePhase left, String running, UpgradePhase settled, boolean watcher) {
    var record = Settlement.settle(record(left), running, NOW);
    assertEquals(settled, record.last().orElseThrow().phase());
    assertEquals(watcher, Settlement.needsWatcher(record));
    assertEquals(record, Settlement.settle(record, running, NOW), "a second start changes nothing");
  }

  @Test
  void saysWhereItWasInterrupted() {
    var record = Settlement.settle(record(UpgradePhase.DOWNLOADING), "v1.0.0", NOW);
    assertEquals(
        Optional.of("interrupted while downloading"), record.last().orElseThrow().reason());
    assertTrue(record.rejections().isEmpty(), "a power cut is not the package's fault");
  }

  @Test
  void keepsTheReasonOfARollBackAndBansThePackage() {
    var dying =
        UpgradeRecord.EMPTY.with(
            new UpgradeRecord.Attempt(
                UpgradePhase.ROLLING_BACK, "v1.0.1", "v1.0.0", SHA, Optional.of("died"), NOW));
    var record = Settlement.settle(dying, "v1.0.0", NOW);
    assertEquals(Optional.of("died"), record.last().orElseThrow().reason());
    assertTrue(record.rejects(SHA, NOW.plusSeconds(Integer.MAX_VALUE)));
  }

  @Test
  void findsNothingToSettleOnANewMachine() {
    assertEquals(UpgradeRecord.EMPTY, Settlement.settle(UpgradeRecord.EMPTY, "v1.0.0", NOW));
  }

  private static UpgradeRecord record(UpgradePhase phase) {
    return UpgradeRecord.EMPTY.with(
        new UpgradeRecord.Attempt(phase, "v1.0.1", "v1.0.0", SHA, Optional.empty(), NOW));
  }
}
