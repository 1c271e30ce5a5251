package io.incudal.agent.bench;

import java.util.Arrays;
import java.util.List;

/**
 * How long calls took.
 *
 * @param totalNanos from the first call's begin to the last one's end
 * @param nanos of each call
 */
record Timings(long totalNanos, List<Long> nanos) {
  Timings {
    nanos = nanos.stream().sorted().toList();
  }

  double seconds() {
    return totalNanos / 1e9;
  }

  double perSecond() {
    return nanos.size() / seconds();
  }

  /** In milliseconds. */
  double percentile(int percent) {
    return nanos.get(Math.min(nanos.size() - 1, nanos.size() * percent / 100)) / 1e6;
  }

  double median() {
    return percentile(50);
  }

  /** The middle one of a few rounds. */
  static double middle(double[] rounds) {
    double[] sorted = rounds.clone();
    Arrays.sort(sorted);
    return sorted[sorted.length / 2];
  }
}
