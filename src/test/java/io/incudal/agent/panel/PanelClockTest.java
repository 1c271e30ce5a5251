package io.incudal.agent.panel;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** B81: a wrong clock is not a revoked key. */
class PanelClockTest {
  private static final Instant HERE = Instant.parse("2026-11-30T22:00:00Z");

  private final PanelClock clock = new PanelClock(() -> HERE);

  @Test
  void followsThePanelsDateAfterAnExpiredSignature() {
    clock.learn(refused(BeatOutcome.Refused.EXPIRED, HERE.plus(Duration.ofMinutes(10))));
    assertEquals(HERE.plus(Duration.ofMinutes(10)), clock.now());
  }

  @Test
  void comesBackWhenThePanelsClockDoes() {
    clock.learn(refused(BeatOutcome.Refused.EXPIRED, HERE.plus(Duration.ofMinutes(10))));
    clock.learn(refused(BeatOutcome.Refused.EXPIRED, HERE));
    assertEquals(HERE, clock.now());
  }

  @Test
  void keepsTheOffsetWhileBeatsAreAccepted() {
    clock.learn(refused(BeatOutcome.Refused.EXPIRED, HERE.minus(Duration.ofHours(1))));
    clock.learn(new BeatOutcome.Accepted(Optional.empty()));
    assertEquals(HERE.minus(Duration.ofHours(1)), clock.now());
  }

  @Test
  void takesNoTimeFromAnyOtherRefusal() {
    clock.learn(refused("AGENT_SIGNATURE_INVALID", HERE.plus(Duration.ofDays(1))));
    assertEquals(HERE, clock.now());
  }

  private static BeatOutcome refused(String code, Instant date) {
    return new BeatOutcome.Refused(401, Optional.of(code), Optional.of(date), Optional.empty());
  }
}
