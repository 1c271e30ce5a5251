package io.incudal.agent.config;

import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;

/**
 * How the agent replaces itself.
 *
 * @param maxDelay upper limit of the random delay before a download
 * @param watchWindow time for the new version to get one heartbeat accepted
 * @param binary the release file that runs, as its launcher names it; empty when the agent was
 *     started in another way, which makes upgrades impossible
 * @param stateDirectory holds the marker of the running attempt and its lock
 * @param service the systemd unit that runs the agent
 */
public record UpgradeConfig(
    Duration maxDelay,
    Duration watchWindow,
    Optional<Path> binary,
    Path stateDirectory,
    String service) {}
