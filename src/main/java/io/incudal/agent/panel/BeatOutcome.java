package io.incudal.agent.panel;

import io.incudal.agent.upgrade.UpgradeMessages;
import java.time.Duration;
import java.time.Instant;
import java.util.Locale;
import java.util.Optional;

/** How one heartbeat ended. A failure to reach the panel is an outcome like any other. */
sealed interface BeatOutcome {
  /**
   * What the log and {@code -once} say about it. The same words mean the same state, which is
   * logged once; so they hold nothing that differs from beat to beat, and never a secret.
   */
  String summary();

  /** One word for it. */
  default String word() {
    return getClass().getSimpleName().toLowerCase(Locale.ROOT);
  }

  record Accepted(Optional<UpgradeMessages.Offer> offer) implements BeatOutcome {
    @Override
    public String summary() {
      return "accepted";
    }
  }

  /**
   * The panel answered, but not with a 2xx.
   *
   * @param code the panel's word, such as {@code AGENT_DISABLED}; empty when its answer has none
   * @param date the panel's clock
   * @param retryAfter how long the panel asks to be left alone
   */
  record Refused(
      int status, Optional<String> code, Optional<Instant> date, Optional<Duration> retryAfter)
      implements BeatOutcome {
    static final String EXPIRED = "AGENT_AUTH_EXPIRED";

    boolean isExpired() {
      return code.filter(EXPIRED::equals).isPresent();
    }

    @Override
    public String summary() {
      return "refused status=" + status + code.map(word -> " code=" + word).orElse("");
    }
  }

  /** No answer, or none that could be read. */
  record Unreachable(String reason) implements BeatOutcome {
    @Override
    public String summary() {
      return "unreachable reason=\"" + reason + "\"";
    }
  }
}
