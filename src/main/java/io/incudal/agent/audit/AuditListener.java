package io.incudal.agent.audit;

import java.time.Duration;

/** Hears how long the log takes; made for counting. Called on the verticle's context. */
public interface AuditListener {
  /** Hears nothing. */
  AuditListener NONE = (lag, written) -> {};

  /**
   * A line was written and synced, or could not be.
   *
   * @param lag since it was handed in
   */
  void ended(Duration lag, boolean written);
}
