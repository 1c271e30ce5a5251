package io.incudal.agent.api;

import java.time.Duration;
import java.time.Instant;

/**
 * Hears of every request but the liveness probe's, and of the server's certificate. Called on the
 * event loop; must not block.
 */
public interface RequestListener {
  /** Hears nothing. */
  RequestListener NONE = new RequestListener() {};

  /**
   * How a request ended.
   *
   * @param method as sent: any word
   * @param route the operation's path in the contract, or {@code -} when there is none
   * @param status of the answer; 499 when nobody was there any more to read it
   */
  record Ended(String method, String route, int status, Duration took) {}

  default void requestBegan() {}

  default void requestEnded(Ended request) {}

  /**
   * Another certificate is in use.
   *
   * @param end of its validity
   */
  default void certificateTaken(Instant end) {}
}
