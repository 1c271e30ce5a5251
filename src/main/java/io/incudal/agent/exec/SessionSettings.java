package io.incudal.agent.exec;

import java.time.Duration;

/**
 * Sizes and limits of tool sessions.
 *
 * @param sessions shells that stand open side by side
 * @param openLimit for opening one, and for ending what another has left running
 * @param outputLimit bytes of each stream of a command
 */
record SessionSettings(int sessions, Duration openLimit, int outputLimit) {
  /**
   * Three, so that a look at the targets does not wait behind writes, and no two writes leave a
   * processor idle; more gain nothing on a small node. The largest listing known, of 4000 targets,
   * is 4.4 MB.
   */
  static final SessionSettings DEFAULT = new SessionSettings(3, Duration.ofSeconds(10), 16 << 20);
}
