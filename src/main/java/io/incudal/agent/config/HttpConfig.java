package io.incudal.agent.config;

/** Where the Agent API listens. Port 0 takes a free one. */
public record HttpConfig(String host, int port) {}
