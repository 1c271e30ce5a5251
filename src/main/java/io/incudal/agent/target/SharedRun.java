package io.incudal.agent.target;

import io.vertx.core.AsyncResult;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;

/**
 * Work whose result serves everybody who asked for it before it began: one run is going on, and at
 * most one waits, however many ask. Nothing is kept beyond that.
 *
 * <p>Belongs to one verticle's context; each caller is answered on its own request's context.
 */
public final class SharedRun<T> {
  private final Supplier<Future<T>> work;
  private List<Waiter<T>> waiting = new ArrayList<>();
  private boolean running;

  public SharedRun(Supplier<Future<T>> work) {
    this.work = work;
  }

  /** The result of a run that begins now or later, the same instance for all who share it. */
  public Future<T> join() {
    var waiter = new Waiter<T>(Vertx.currentContext(), Promise.promise());
    waiting.add(waiter);
    if (!running) {
      begin();
    }
    return waiter.promise.future();
  }

  private void begin() {
    List<Waiter<T>> served = waiting;
    waiting = new ArrayList<>();
    running = true;
    attempt().onComplete(result -> end(served, result));
  }

  private Future<T> attempt() {
    try {
      return work.get();
    } catch (RuntimeException thrown) {
      return Future.failedFuture(thrown);
    }
  }

  private void end(List<Waiter<T>> served, AsyncResult<T> result) {
    running = false;
    // The next run first: those just served may ask again, and must get a later one.
    if (!waiting.isEmpty()) {
      Context context = waiting.get(0).context;
      running = true;
      context.runOnContext(go -> begin());
    }
    served.forEach(waiter -> waiter.context.runOnContext(go -> waiter.promise.handle(result)));
  }

  private record Waiter<T>(Context context, Promise<T> promise) {}
}
