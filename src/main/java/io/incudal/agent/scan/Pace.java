package io.incudal.agent.scan;

import java.time.Duration;
import java.util.concurrent.ThreadLocalRandom;

/**
 * How long to wait from one look at the back end to the next: short after the first failures, then
 * longer, and never the same on all nodes. Its longest wait leaves time for the scan within the 15
 * s in which targets have to be back.
 */
final class Pace {
  private static final double JITTER = 0.2;

  private final Duration check;
  private final Duration shortest;
  private final Duration longest;
  private int failures;

  /**
   * @param check from one look at a healthy back end to the next
   * @param shortest after the first failure; doubled with each further one
   * @param longest after many failures
   */
  Pace(Duration check, Duration shortest, Duration longest) {
    this.check = check;
    this.shortest = shortest;
    this.longest = longest;
  }

  static Pace standard() {
    return new Pace(Duration.ofSeconds(3), Duration.ofMillis(250), Duration.ofSeconds(4));
  }

  void succeeded() {
    failures = 0;
  }

  Duration untilCheck() {
    return jittered(check);
  }

  /** Counts a failure. */
  Duration untilRetry() {
    long factor = 1L << Math.min(failures++, 20);
    Duration wait = shortest.multipliedBy(factor);
    return jittered(wait.compareTo(longest) < 0 ? wait : longest);
  }

  /** After a hint that something is wrong. */
  Duration soon() {
    return jittered(shortest);
  }

  private static Duration jittered(Duration most) {
    double factor = 1 - JITTER * ThreadLocalRandom.current().nextDouble();
    return Duration.ofNanos((long) (most.toNanos() * factor));
  }
}
