package io.incudal.agent.panel;

import io.incudal.agent.bus.AgentMessage;

/** What the heartbeat tells the rest of the agent. */
public sealed interface PanelMessages {
  /** Published when the panel accepted a heartbeat of this process. */
  record HeartbeatAccepted() implements PanelMessages, AgentMessage {}

  /**
   * Published when a heartbeat ended, in whatever way.
   *
   * @param outcome {@code accepted}, {@code refused} or {@code unreachable}
   */
  record HeartbeatEnded(String outcome) implements PanelMessages, AgentMessage {}
}
