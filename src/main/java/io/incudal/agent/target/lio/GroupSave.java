package io.incudal.agent.target.lio;

import io.incudal.agent.bus.AgentException;
import io.incudal.agent.bus.ErrorCode;
import io.incudal.agent.target.lio.SavedConfig.Change;
import io.vertx.core.AsyncResult;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.Function;

/**
 * One save for all who wait: a run takes every change that has come by then, and a change is
 * answered only by a run that held it. A run waits a moment for changes that were announced, so
 * that writes of the same time make one save, not two.
 *
 * <p>Touched on one context only; each caller is answered on its own request's context.
 */
final class GroupSave {
  /** What a run waits at most, and more for each change that is announced. */
  private static final Duration PATIENCE = Duration.ofMillis(400);

  private static final Duration PATIENCE_EACH = Duration.ofMillis(40);
  private static final Duration PATIENCE_LIMIT = Duration.ofSeconds(10);

  private final Vertx vertx;
  private final SavedConfig saved;
  private List<Waiter> waiting = new ArrayList<>();
  private int announced;
  private boolean patient;
  private boolean running;

  GroupSave(Vertx vertx, SavedConfig saved) {
    this.vertx = vertx;
    this.saved = saved;
  }

  /** A change will be saved soon; followed by {@link #save} or {@link #withdraw}. */
  void announce() {
    announced++;
  }

  /** Announced in vain. */
  void withdraw() {
    announced--;
    proceed();
  }

  /** Saves an announced change. Fails when the file does not have it, whatever the reason. */
  Future<Void> save(Change change) {
    var waiter = new Waiter(change, Vertx.currentContext(), Promise.promise());
    if (waiting.isEmpty()) {
      patient = true;
      vertx.setTimer(patience(), late -> losePatience(waiter));
    }
    waiting.add(waiter);
    withdraw();
    return waiter.promise.future();
  }

  private long patience() {
    Duration all = PATIENCE.plus(PATIENCE_EACH.multipliedBy(announced));
    return Math.min(all.toMillis(), PATIENCE_LIMIT.toMillis());
  }

  private void losePatience(Waiter first) {
    if (!waiting.isEmpty() && waiting.get(0) == first) {
      patient = false;
      proceed();
    }
  }

  private void proceed() {
    if (running || waiting.isEmpty() || (announced > 0 && patient)) {
      return;
    }
    // Those who come from now on are not in the arguments of this run, and wait for the next.
    List<Waiter> served = waiting;
    waiting = new ArrayList<>();
    running = true;
    List<Change> changes = served.stream().map(Waiter::change).toList();
    saved
        .write(changes)
        .map(missing -> (Function<Change, AsyncResult<Void>>) change -> written(change, missing))
        .recover(failure -> whatIsSaved(failure))
        .onComplete(outcome -> end(served, outcome));
  }

  private void end(List<Waiter> served, AsyncResult<Function<Change, AsyncResult<Void>>> outcome) {
    running = false;
    for (Waiter waiter : served) {
      AsyncResult<Void> own =
          outcome.failed()
              ? Future.failedFuture(outcome.cause())
              : outcome.result().apply(waiter.change);
      waiter.context.runOnContext(go -> waiter.promise.handle(own));
    }
    proceed();
  }

  private static AsyncResult<Void> written(Change change, Set<String> missing) {
    return change.keep() && missing.contains(change.iqn())
        ? Future.failedFuture(
            new AgentException(
                ErrorCode.COMMAND_FAILED,
                "the target was made but is not there any more: does another program remove"
                    + " targets?"))
        : Future.succeededFuture();
  }

  /** A save that failed or was cut off may have been done all the same: the file tells. */
  private Future<Function<Change, AsyncResult<Void>>> whatIsSaved(Throwable failure) {
    return saved
        .look()
        .transform(
            found ->
                found.failed()
                    ? Future.failedFuture(failure)
                    : Future.succeededFuture(
                        change ->
                            change.isDone(found.result())
                                ? Future.succeededFuture()
                                : Future.failedFuture(failure)));
  }

  private record Waiter(Change change, Context context, Promise<Void> promise) {}
}
