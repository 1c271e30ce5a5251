package io.incudal.agent.upgrade;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * All that is remembered of upgrades across restarts.
 *
 * @param last the attempt under way, or the last one
 * @param rejections packages that are not to be tried again
 */
record UpgradeRecord(Optional<Attempt> last, List<Rejection> rejections) {
  static final UpgradeRecord EMPTY = new UpgradeRecord(Optional.empty(), List.of());

  private static final Duration REST = Duration.ofHours(24);
  private static final int MAX_REJECTIONS = 50;

  UpgradeRecord {
    rejections = List.copyOf(rejections);
  }

  /**
   * @param version what is being installed
   * @param from what was running before
   * @param reason why it failed, was rolled back or waits
   * @param at when this phase began
   */
  record Attempt(
      UpgradePhase phase,
      String version,
      String from,
      String sha256,
      Optional<String> reason,
      Instant at) {
    Attempt enter(UpgradePhase next, Instant now) {
      return new Attempt(next, version, from, sha256, Optional.empty(), now);
    }

    Attempt enter(UpgradePhase next, String why, Instant now) {
      return new Attempt(next, version, from, sha256, Optional.of(why), now);
    }

    UpgradeMessages.Attempt view() {
      return new UpgradeMessages.Attempt(phase.word(), version, reason, at);
    }
  }

  /**
   * @param until empty for ever
   */
  record Rejection(String sha256, Optional<Instant> until) {
    boolean holds(Instant now) {
      return until.map(now::isBefore).orElse(true);
    }
  }

  UpgradeRecord with(Attempt attempt) {
    return new UpgradeRecord(Optional.of(attempt), rejections);
  }

  /** A package that failed gets a rest. */
  UpgradeRecord rest(String sha256, Instant now) {
    return reject(new Rejection(sha256, Optional.of(now.plus(REST))), now);
  }

  /** A package that was rolled back is never taken again. */
  UpgradeRecord ban(String sha256, Instant now) {
    return reject(new Rejection(sha256, Optional.empty()), now);
  }

  boolean rejects(String sha256, Instant now) {
    return rejections.stream()
        .anyMatch(rejection -> rejection.sha256().equals(sha256) && rejection.holds(now));
  }

  private UpgradeRecord reject(Rejection added, Instant now) {
    var rest =
        rejections.stream()
            .filter(old -> old.holds(now) && !old.sha256().equals(added.sha256()))
            .limit(MAX_REJECTIONS - 1L);
    return new UpgradeRecord(last, Stream.concat(Stream.of(added), rest).toList());
  }
}
