package io.incudal.agent.upgrade;

import io.incudal.agent.bus.AgentMessage;
import io.incudal.agent.bus.Request;
import java.time.Instant;
import java.util.Optional;
import java.util.OptionalLong;

/** What can be asked of, and is told by, the upgrade. */
public sealed interface UpgradeMessages {
  /**
   * A panel's offer just as it was sent: hostile until {@code upgrade} has made types of it. An
   * offer that cannot be taken is no failure; the status says why.
   */
  record Offer(String version, String url, String sha256, boolean gzip, OptionalLong size)
      implements UpgradeMessages, Request<Noted> {}

  /** The offer was looked at; what becomes of it is told by {@link StatusChanged}. */
  record Noted() implements UpgradeMessages, AgentMessage {}

  /** Needs no disk. */
  record ReadStatus() implements UpgradeMessages, Request<Status> {}

  /**
   * @param last the attempt that runs, or the last one, even if an earlier process made it; empty
   *     when there was none
   */
  record Status(Optional<Attempt> last) implements UpgradeMessages, AgentMessage {}

  /**
   * @param phase the word that the panel sees, such as {@code downloading}
   * @param reason why the attempt failed, waits or was rolled back
   */
  record Attempt(String phase, String version, Optional<String> reason, Instant at) {}

  /** Published at every change of phase. */
  record StatusChanged(Attempt attempt) implements UpgradeMessages, AgentMessage {}
}
