package io.incudal.agent.lun;

import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import java.util.ArrayDeque;
import java.util.Queue;
import java.util.function.Supplier;

/** Lets only so many tasks run side by side. Belongs to one context; first come, first served. */
final class Slots {
  private final Queue<Waiter> waiting = new ArrayDeque<>();
  private int free;

  Slots(int count) {
    this.free = count;
  }

  private record Waiter(Context context, Promise<Void> turn) {}

  <T> Future<T> use(Supplier<Future<T>> task) {
    return take().compose(taken -> task.get()).eventually(this::give);
  }

  private Future<Void> take() {
    if (free > 0) {
      free--;
      return Future.succeededFuture();
    }
    var waiter = new Waiter(Vertx.currentContext(), Promise.promise());
    waiting.add(waiter);
    return waiter.turn.future();
  }

  private Future<Void> give() {
    Waiter next = waiting.poll();
    if (next == null) {
      free++;
    } else {
      next.context.runOnContext(go -> next.turn.complete());
    }
    return Future.succeededFuture();
  }
}
