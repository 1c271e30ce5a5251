package io.incudal.agent.panel;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** One line when the heartbeat's state changes, and none while it stays. Used by one thread. */
final class BeatLog {
  private static final Logger LOG = LoggerFactory.getLogger(BeatLog.class);

  private String last = "";

  void note(BeatOutcome outcome) {
    String summary = outcome.summary();
    if (summary.equals(last)) {
      return;
    }
    last = summary;
    if (outcome instanceof BeatOutcome.Accepted) {
      LOG.info("heartbeat {}", summary);
    } else {
      LOG.warn("heartbeat {}", summary);
    }
  }
}
