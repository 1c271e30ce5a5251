package io.incudal.agent.config;

import java.nio.file.Path;

/**
 * Where the host's own files are seen. They differ from the defaults in a container, which would
 * otherwise report its own figures.
 *
 * @param proc the host's {@code /proc}
 * @param root the host's root directory, for its disk and the Incus socket
 */
public record HostConfig(Path proc, Path root) {
  /** An agent that runs on the host itself. */
  public static final HostConfig DEFAULT = new HostConfig(Path.of("/proc"), Path.of("/"));
}
