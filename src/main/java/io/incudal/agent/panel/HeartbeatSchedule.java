package io.incudal.agent.panel;

import java.time.Duration;
import java.util.Optional;
import java.util.random.RandomGenerator;

/**
 * When the next heartbeat is due.
 *
 * <p>Pure but for its count of failures; knows no timer and no clock. Used by one thread. All
 * agents of a fleet may start, and lose their panel, at the same moment; so everything but the
 * steady beat is spread at random.
 */
final class HeartbeatSchedule {
  private static final Duration FIRST_WITHIN = Duration.ofSeconds(1);
  private static final Duration FIRST_RETRY = Duration.ofSeconds(2);
  private static final Duration LONGEST_RETRY_AFTER = Duration.ofMinutes(10);

  private final Duration interval;
  private final RandomGenerator random;
  private int failures;

  HeartbeatSchedule(Duration interval, RandomGenerator random) {
    this.interval = interval;
    this.random = random;
  }

  /** From the start to the first heartbeat. */
  Duration first() {
    return scale(FIRST_WITHIN, random.nextDouble());
  }

  /**
   * From the end of a heartbeat to the next one.
   *
   * @param took how long the heartbeat took, so that a slow panel does not slow down the beat
   */
  Duration after(BeatOutcome outcome, Duration took) {
    if (outcome instanceof BeatOutcome.Accepted) {
      failures = 0;
      return longer(interval.minus(took), interval.dividedBy(2));
    }
    failures++;
    Optional<Duration> asked =
        outcome instanceof BeatOutcome.Refused refused ? refused.retryAfter() : Optional.empty();
    Duration backoff = backoff();
    return asked.map(wait -> longer(backoff, honoured(wait))).orElse(backoff);
  }

  /** Doubles with each failure; the random part never lets a later gap undercut an earlier one. */
  private Duration backoff() {
    int doublings = Math.min(failures - 1, 20);
    Duration ceiling = shorter(FIRST_RETRY.multipliedBy(1L << doublings), interval);
    return scale(ceiling, 0.5 + random.nextDouble() / 2);
  }

  /** A little more than was asked for, or the whole fleet would come back at once. */
  private Duration honoured(Duration asked) {
    return shorter(scale(asked, 1 + random.nextDouble() / 10), LONGEST_RETRY_AFTER);
  }

  private static Duration scale(Duration duration, double factor) {
    return Duration.ofNanos((long) (duration.toNanos() * factor));
  }

  private static Duration shorter(Duration a, Duration b) {
    return a.compareTo(b) < 0 ? a : b;
  }

  private static Duration longer(Duration a, Duration b) {
    return a.compareTo(b) > 0 ? a : b;
  }
}
