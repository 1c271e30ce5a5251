package io.incudal.agent.config;

/**
 * How many operations may wait before the agent answers {@code overloaded}.
 *
 * @param perTarget operations of one IQN, the running one included
 * @param total operations of all IQNs, the running ones included
 */
public record QueueConfig(int perTarget, int total) {}
