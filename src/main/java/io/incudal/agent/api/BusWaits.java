package io.incudal.agent.api;

import io.incudal.agent.config.NodeConfig;
import java.time.Duration;

/**
 * How long the bus is waited for. Outermost of the nested clocks, so each is longer than what can
 * happen inside: tool, engine, queue.
 *
 * @param read a listing that has to wait for a running one, each as long as a command may take, and
 *     for a recovery scan
 * @param write no limit in practice: a full copy of a 16 TiB image takes days on a slow disk, and
 *     the tools inside have limits of their own; it ends the wait should a reply ever be lost
 */
record BusWaits(Duration read, Duration write) {
  static final Duration WRITE = Duration.ofDays(7);

  static BusWaits of(NodeConfig config) {
    return new BusWaits(config.backend().commandTimeout().multipliedBy(2).plusSeconds(20), WRITE);
  }
}
