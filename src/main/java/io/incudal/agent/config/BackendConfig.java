package io.incudal.agent.config;

import java.time.Duration;
import java.util.OptionalInt;

/**
 * The target daemon and the way to its tools.
 *
 * @param container exact name (or id) of the iSCSI container; unused with {@link Executor#LOCAL}
 * @param dockerHost {@code unix:///path} or {@code tcp://host:port} of the Docker engine
 * @param commandTimeout limit of one command of a tool
 * @param tgtControlPort {@code tgtadm -C}
 * @param lioWriteBack whether a fileio backstore may acknowledge writes from the page cache
 * @param deleteInUse whether a target with sessions is deleted without {@code force}
 */
public record BackendConfig(
    Kind kind,
    Executor executor,
    String container,
    String dockerHost,
    Duration commandTimeout,
    OptionalInt tgtControlPort,
    boolean lioWriteBack,
    boolean deleteInUse) {

  /** The two target daemons. */
  public enum Kind {
    STGT,
    LIO
  }

  /** Where the tools run. */
  public enum Executor {
    DOCKER,
    LOCAL
  }
}
