package io.incudal.agent.config;

import java.util.Optional;

/**
 * Everything that the agent was told, bound once at start.
 *
 * @param node the Agent API; empty when no setting of it is there
 * @param panel the heartbeat; empty when no panel is named
 */
public record AgentConfig(Optional<NodeConfig> node, Optional<PanelConfig> panel, LogConfig log) {}
