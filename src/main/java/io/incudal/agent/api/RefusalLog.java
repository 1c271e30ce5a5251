package io.incudal.agent.api;

import java.time.Duration;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Tells the operator that somebody is refused, which may be a Control Plane with an old token or
 * certificate. One line a minute at most, however many come.
 */
final class RefusalLog {
  private static final Logger LOG = LoggerFactory.getLogger(RefusalLog.class);
  private static final long PAUSE = Duration.ofMinutes(1).toNanos();

  private final String what;
  private long count;
  private long last = System.nanoTime() - PAUSE;

  RefusalLog(String what) {
    this.what = what;
  }

  /**
   * @param example of the latest one: who it was, or why
   */
  void note(String example) {
    count++;
    long now = System.nanoTime();
    if (now - last >= PAUSE) {
      LOG.warn("{} count={} last={}", what, count, example);
      last = now;
      count = 0;
    }
  }
}
