package io.incudal.agent.config;

import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;

/**
 * The panel that the host agent reports to.
 *
 * @param url without a trailing slash; https, or http to a loopback address
 * @param agentId {@code agt_…}
 * @param agentSecret {@code ias_…}, the key of the signature
 * @param interval time from one heartbeat to the next, 5 s to 1 h
 * @param requestTimeout limit of one request
 * @param caFile PEM file with a CA to be trusted in addition
 */
public record PanelConfig(
    URI url,
    String agentId,
    Secret agentSecret,
    Duration interval,
    Duration requestTimeout,
    Optional<Path> caFile,
    HostConfig host,
    UpgradeConfig upgrade) {}
