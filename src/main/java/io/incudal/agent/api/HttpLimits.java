package io.incudal.agent.api;

import java.time.Duration;

/**
 * What no operator has to set.
 *
 * @param connections how many there may be
 * @param patience how long a connection may keep the agent waiting
 * @param tokenInterval how often the token file is looked at
 */
record HttpLimits(int connections, Duration patience, Duration tokenInterval) {
  /** More patience than common clients have with idle connections, so that they close them. */
  static final HttpLimits DEFAULTS =
      new HttpLimits(2048, Duration.ofSeconds(120), Duration.ofSeconds(2));
}
