package io.incudal.agent.bus;

/**
 * A message that is answered by exactly one reply of type {@code R}, or by one {@link
 * AgentException}.
 */
public interface Request<R extends AgentMessage> extends AgentMessage {}
