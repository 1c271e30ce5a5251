package io.incudal.agent.config;

import java.util.Optional;

/**
 * Where the Agent API listens. Port 0 takes a free one.
 *
 * @param tls plain HTTP without
 */
public record HttpConfig(String host, int port, Optional<TlsConfig> tls) {}
