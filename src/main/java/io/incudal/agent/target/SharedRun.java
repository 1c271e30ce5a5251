package io.incudal.agent.target;

import io.vertx.core.AsyncResult;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import java.util.ArrayList;
import java.util.List;
import java.util.function.IntFunction;
import java.util.function.Supplier;

/**
 * Work whose result serves everybody who asked for it before it began: one run is going on, and at
 * most one waits, however many ask. Nothing is kept beyond that.
 *
 * <p>Belongs to one verticle's context; each caller is answered on its own request's context.
 */
public final class SharedRun<T> {
  /** From so many on who shared a run, more are likely to come. */
  private static final int CROWD = 4;

  private final Supplier<Future<T>> work;
  private final IntFunction<Future<?>> gathering;
  private List<Waiter<T>> waiting = new ArrayList<>();
  private int lastServed;
  private boolean running;

  public SharedRun(Supplier<Future<T>> work) {
    this(work, crowd -> Future.succeededFuture());
  }

  /**
   * @param gathering awaited before a run that follows one which many shared, so that it serves as
   *     many again; is told how many, and has to be short
   */
  public SharedRun(Supplier<Future<T>> work, IntFunction<Future<?>> gathering) {
    this.work = work;
    this.gathering = gathering;
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
    running = true;
    if (lastServed < CROWD) {
      run();
    } else {
      gathering.apply(lastServed).onComplete(gathered -> run());
    }
  }

  private void run() {
    List<Waiter<T>> served = waiting;
    waiting = new ArrayList<>();
    lastServed = served.size();
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
