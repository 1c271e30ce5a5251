package io.incudal.agent.lun;

import io.incudal.agent.bus.AgentException;
import io.incudal.agent.bus.ErrorCode;
import io.incudal.agent.lun.LunMessages.BackendView;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import java.time.Duration;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;

/**
 * How it stands with the back end, and who has to wait until its targets are back.
 *
 * <p>Touched on the worker verticle's context only. It learns; it does nothing by itself.
 */
final class Recovery {
  private final Duration patience;
  private final Consumer<BackendView> changed;
  private Promise<Void> planned = Promise.promise();
  private Promise<Void> settled = Promise.promise();
  private boolean ready;
  private boolean scanned;
  private boolean scanPending;
  private Optional<AgentException> problem = Optional.empty();
  private Optional<String> warning = Optional.empty();
  private int targets;
  private BackendView told;

  /**
   * At first, until the back end was opened once, everybody waits.
   *
   * @param patience of those who wait for the targets to be back
   * @param changed hears of every change of the view but for the number of targets
   */
  Recovery(Duration patience, Consumer<BackendView> changed) {
    this.patience = patience;
    this.changed = changed;
    this.told = view();
  }

  /** The back end is being opened: nobody knows now whether its targets are all there. */
  void opening() {
    if (planned.future().isComplete()) {
      planned = Promise.promise();
    }
    if (settled.future().isComplete()) {
      settled = Promise.promise();
    }
  }

  /**
   * It is open. Those who wait go on, unless its targets have to be brought back first.
   *
   * @return whether a scan is needed, for this opening or still for one before
   */
  boolean opened(boolean needsScan, Optional<String> mountWarning) {
    ready = true;
    problem = Optional.empty();
    warning = mountWarning;
    scanPending |= needsScan;
    scanned = !scanPending;
    if (scanned) {
      letGo();
    }
    tell();
    return scanPending;
  }

  /** It could not be opened, or does not answer. Those who wait go on, and see for themselves. */
  void unavailable(AgentException why) {
    ready = false;
    problem = Optional.of(why);
    letGo();
    tell();
  }

  /** It answers, and has kept its targets. */
  void answers() {
    ready = true;
    problem = Optional.empty();
    tell();
  }

  /** Its daemon was started anew; the auto-scan hears of it, and opens it again. */
  void lost() {
    opening();
    scanned = false;
    tell();
  }

  /** The automatic scan has taken its turns: whoever comes now comes after it. */
  void scanPlanned() {
    planned.tryComplete();
  }

  void scanEnded(boolean well) {
    if (well) {
      scanned = true;
      scanPending = false;
    }
    letGo();
    tell();
  }

  /** Nobody waits any longer. */
  void stop() {
    settled.tryFail(new AgentException(ErrorCode.STOPPING, "the agent is stopping"));
    planned.tryComplete();
  }

  void counted(int targets) {
    this.targets = targets;
  }

  /**
   * Completes when it is safe to take a turn: one taken while an automatic scan is about to take
   * its own could wait for that scan, and the scan for it. Never fails.
   */
  Future<Void> entrance() {
    Future<Void> open = planned.future();
    return open.isComplete() ? open : waited(open).otherwiseEmpty();
  }

  /** Completes when all targets are back; fails when that takes too long. */
  Future<Void> admission() {
    Future<Void> back = settled.future();
    return back.isComplete() ? back : waited(back).recover(this::tooLong);
  }

  BackendView view() {
    Optional<String> trouble = problem.map(Throwable::getMessage).or(() -> warning);
    OptionalInt count = ready ? OptionalInt.of(targets) : OptionalInt.empty();
    return new BackendView(ready, scanned, count, trouble);
  }

  /** On the caller's own context, whoever completes it. */
  private Future<Void> waited(Future<Void> future) {
    return Future.fromCompletionStage(future.toCompletionStage(), Vertx.currentContext())
        .timeout(patience.toMillis(), TimeUnit.MILLISECONDS);
  }

  private Future<Void> tooLong(Throwable late) {
    AgentException recovering =
        new AgentException(
            ErrorCode.RECOVERING, "the targets are being restored; try again in a few seconds");
    return Future.failedFuture(
        late instanceof TimeoutException ? problem.orElse(recovering) : late);
  }

  private void letGo() {
    planned.tryComplete();
    settled.tryComplete();
  }

  private void tell() {
    BackendView now = view();
    boolean same =
        now.ready() == told.ready()
            && now.scanned() == told.scanned()
            && now.problem().equals(told.problem());
    if (!same) {
      told = now;
      changed.accept(now);
    }
  }
}
