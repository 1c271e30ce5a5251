package io.incudal.agent.upgrade;

import io.incudal.agent.upgrade.ServiceManager.Activity;
import io.incudal.agent.upgrade.ServiceManager.ServiceState;
import java.time.Duration;

/**
 * Decides about a new version, by three things only: whether its process stays up, whether the
 * marker says that a heartbeat of it was accepted, and, when none was, whether the panel takes one
 * from the old version. Pure but for its counts; used by one thread.
 */
final class WatchJudge {
  private static final int MAX_DEATHS = 3;

  /** An ordinary restart may look failed for a moment, between its two halves. */
  private static final int LOOKS_TO_BELIEVE = 3;

  private static final Duration PATIENCE = Duration.ofHours(24);

  private final Duration window;
  private int restarts;
  private int deaths;
  private int failedLooks;
  private Duration nextQuestion;

  /**
   * @param restarts how often the service had been started again when the watch began
   */
  WatchJudge(Duration window, int restarts) {
    this.window = window;
    this.restarts = restarts;
    this.nextQuestion = window;
  }

  /** What the watcher has to do next. */
  enum Verdict {
    WAIT,
    ROLL_BACK_DEAD,
    /** Send a heartbeat by the old binary, and tell {@link #answered} what came of it. */
    ASK_PANEL,
    ROLL_BACK_MUTE,
    GIVE_UP
  }

  /**
   * @param elapsed since the watch began
   */
  Verdict look(ServiceState state, Duration elapsed) {
    count(state.restarts());
    failedLooks = state.activity() == Activity.FAILED ? failedLooks + 1 : 0;
    boolean dying = state.activity() == Activity.BETWEEN;
    if (failedLooks >= LOOKS_TO_BELIEVE || deaths + (dying ? 1 : 0) >= MAX_DEATHS) {
      return Verdict.ROLL_BACK_DEAD;
    }
    if (elapsed.compareTo(PATIENCE) > 0) {
      return Verdict.GIVE_UP;
    }
    // A service that was stopped on purpose is not mute.
    boolean runs = state.activity() != Activity.STOPPED;
    return runs && elapsed.compareTo(nextQuestion) >= 0 ? Verdict.ASK_PANEL : Verdict.WAIT;
  }

  /** When the panel refuses the old version as well, the fault is not the new one's. */
  Verdict answered(boolean accepted, Duration elapsed) {
    nextQuestion = elapsed.plus(window.dividedBy(5));
    return accepted ? Verdict.ROLL_BACK_MUTE : Verdict.WAIT;
  }

  /** The counter starts at nothing again whenever the service is started on purpose. */
  private void count(int now) {
    deaths += now >= restarts ? now - restarts : now;
    restarts = now;
  }
}
