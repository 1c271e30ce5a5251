package io.incudal.agent.api;

import io.incudal.agent.bus.Caller;
import java.time.Duration;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Tells the operator that somebody comes without a good token, which may be a Control Plane with an
 * old one. One line a minute at most, however many come.
 */
final class RefusalLog {
  private static final Logger LOG = LoggerFactory.getLogger(RefusalLog.class);
  private static final long PAUSE = Duration.ofMinutes(1).toNanos();

  private long count;
  private long last = System.nanoTime() - PAUSE;

  void note(Caller caller) {
    count++;
    long now = System.nanoTime();
    if (now - last >= PAUSE) {
      LOG.warn("requests without a good token count={} last={}", count, caller.client());
      last = now;
      count = 0;
    }
  }
}
