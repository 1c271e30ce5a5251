package io.incudal.agent.panel;

import static java.time.Duration.ZERO;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.random.RandomGenerator;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** B84: a fleet never beats, and never comes back, all at once. */
class HeartbeatScheduleTest {
  private static final Duration INTERVAL = Duration.ofSeconds(30);
  private static final BeatOutcome ACCEPTED = new BeatOutcome.Accepted(Optional.empty());
  private static final BeatOutcome DOWN = new BeatOutcome.Unreachable("connection refused");

  @Test
  void spreadsTheFirstBeatsOfAFleetOverASecond() {
    var random = new Random(84);
    var firsts =
        IntStream.range(0, 20)
            .mapToObj(agent -> new HeartbeatSchedule(INTERVAL, random).first())
            .sorted()
            .toList();
    assertEquals(20, firsts.stream().distinct().count());
    assertTrue(firsts.get(19).toMillis() <= 1000);
    assertTrue(firsts.get(19).minus(firsts.get(0)).toMillis() > 500);
  }

  @Test
  void keepsTheBeatWhateverTheAnswerTakes() {
    var schedule = new HeartbeatSchedule(INTERVAL, new Random(1));
    assertEquals(INTERVAL, schedule.after(ACCEPTED, ZERO));
    assertEquals(Duration.ofSeconds(21), schedule.after(ACCEPTED, Duration.ofSeconds(9)));
  }

  @Test
  void neverBeatsWithoutAPauseWhenThePanelIsSlowerThanTheInterval() {
    var schedule = new HeartbeatSchedule(Duration.ofSeconds(5), new Random(1));
    assertEquals(Duration.ofMillis(2500), schedule.after(ACCEPTED, Duration.ofSeconds(9)));
  }

  @Test
  void growsTheGapsWhileThePanelIsDownButNeverBeyondTheInterval() {
    for (int seed = 0; seed < 100; seed++) {
      var schedule = new HeartbeatSchedule(INTERVAL, new Random(seed));
      List<Duration> gaps = new ArrayList<>();
      for (int i = 0; i < 40; i++) {
        gaps.add(schedule.after(DOWN, ZERO));
      }
      for (int i = 1; i < 4; i++) {
        assertTrue(gaps.get(i).compareTo(gaps.get(i - 1)) >= 0, gaps.toString());
      }
      assertTrue(gaps.get(0).toMillis() >= 1000);
      assertTrue(gaps.stream().allMatch(gap -> gap.compareTo(INTERVAL) <= 0), gaps.toString());
      assertTrue(gaps.stream().distinct().count() > 30, "jitter: " + gaps);
    }
  }

  @Test
  void neverRetriesBeyondAShortIntervalEither() {
    var schedule = new HeartbeatSchedule(Duration.ofSeconds(5), always(0.999));
    for (int i = 0; i < 10; i++) {
      assertTrue(schedule.after(DOWN, ZERO).compareTo(Duration.ofSeconds(5)) <= 0);
    }
  }

  @Test
  void startsTheBackoffAnewAfterAnAcceptedBeat() {
    var schedule = new HeartbeatSchedule(INTERVAL, always(0));
    Duration first = schedule.after(DOWN, ZERO);
    schedule.after(DOWN, ZERO);
    schedule.after(ACCEPTED, ZERO);
    assertEquals(first, schedule.after(DOWN, ZERO));
  }

  @Test
  void honoursRetryAfterBeyondTheIntervalUpToTenMinutes() {
    var schedule = new HeartbeatSchedule(INTERVAL, always(0));
    assertEquals(Duration.ofMinutes(2), schedule.after(busy(Duration.ofMinutes(2)), ZERO));
    assertEquals(Duration.ofMinutes(10), schedule.after(busy(Duration.ofHours(5)), ZERO));
  }

  @Test
  void neverComesBackSoonerThanTheBackoffForAShortRetryAfter() {
    var schedule = new HeartbeatSchedule(INTERVAL, always(0));
    assertEquals(Duration.ofSeconds(1), schedule.after(busy(ZERO), ZERO));
  }

  @Test
  void spreadsTheReturnAfterRetryAfter() {
    var schedule = new HeartbeatSchedule(INTERVAL, always(0.5));
    assertEquals(Duration.ofSeconds(126), schedule.after(busy(Duration.ofMinutes(2)), ZERO));
  }

  private static BeatOutcome busy(Duration retryAfter) {
    return new BeatOutcome.Refused(
        503, Optional.empty(), Optional.empty(), Optional.of(retryAfter));
  }

  private static RandomGenerator always(double value) {
    return new RandomGenerator() {
      @Override
      public long nextLong() {
        throw new UnsupportedOperationException();
      }

      @Override
      public double nextDouble() {
        return value;
      }
    };
  }
}
