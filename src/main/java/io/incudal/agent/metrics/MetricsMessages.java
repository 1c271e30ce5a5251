package io.incudal.agent.metrics;

import io.incudal.agent.bus.AgentMessage;
import io.incudal.agent.bus.Request;
import io.vertx.core.buffer.Buffer;

/** What can be asked of the measurements. */
public sealed interface MetricsMessages {
  /** All of them, as they are now. */
  record Scrape() implements MetricsMessages, Request<Text> {}

  /**
   * @param text in the text format of Prometheus; not to be changed
   */
  record Text(Buffer text) implements MetricsMessages, AgentMessage {}
}
