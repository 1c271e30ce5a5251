package io.incudal.agent.panel;

import io.incudal.agent.bus.AgentMessage;

/** What the heartbeat tells the rest of the agent. */
public sealed interface PanelMessages {
  /** Published when the panel accepted a heartbeat of this process. */
  record HeartbeatAccepted() implements PanelMessages, AgentMessage {}
}
