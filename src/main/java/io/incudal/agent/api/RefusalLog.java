package io.incudal.agent.api;

import io.incudal.agent.bus.Caller;
import java.time.Duration;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Tells the operator that somebody comes without a good token or certificate, which may be a
 * Control Plane with an old one. One line a minute at most, however many come.
 */
final class RefusalLog {
  private static final Logger LOG = LoggerFactory.getLogger(RefusalLog.class);
  private static final long PAUSE = Duration.ofMinutes(1).toNanos();

  private long count;
  private long last = System.nanoTime() - PAUSE;

  /**
   * @param missing what the caller has not shown
   */
  void note(Caller caller, String missing) {
    count++;
    long now = System.nanoTime();
    if (now - last >= PAUSE) {
      LOG.warn("requests without {} count={} last={}", missing, count, caller.client());
      last = now;
      count = 0;
    }
  }
}
