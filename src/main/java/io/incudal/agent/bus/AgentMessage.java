package io.incudal.agent.bus;

/**
 * Anything that travels over the event bus.
 *
 * <p>Implementations are deeply immutable records: the bus hands the same instance to the receiver,
 * on another thread, without a copy.
 */
public interface AgentMessage {}
