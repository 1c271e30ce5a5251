package io.incudal.agent.target.stgt;

import io.incudal.agent.exec.ToolResult;
import io.vertx.core.AsyncResult;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;

/**
 * Plain deletions on their way to the daemon. Those that have to wait go together as the steps of
 * one command, since the way into the container costs as much as the deletion; each still succeeds
 * or fails by itself. Only deletions: the daemon does them in its memory, one as quickly as the
 * other, so that none is held up by its neighbour.
 *
 * <p>Touched on one context only; never blocks.
 */
final class DeleteQueue {
  /** Leaves a way for looks at the targets. */
  private static final int SIDE_BY_SIDE = 2;

  private static final int TOGETHER = 16;
  private static final ToolResult DONE = new ToolResult(0, 0, "", "");

  private final Tgtadm tgtadm;
  private final Deque<Waiter> waiting = new ArrayDeque<>();
  private int running;

  DeleteQueue(Tgtadm tgtadm) {
    this.tgtadm = tgtadm;
  }

  private record Waiter(int tid, Context context, Promise<ToolResult> promise) {
    void answer(AsyncResult<ToolResult> result) {
      context.runOnContext(go -> promise.handle(result));
    }
  }

  /** What the daemon says to the deletion of a target that nobody is to be using. */
  Future<ToolResult> delete(int tid) {
    var waiter = new Waiter(tid, Vertx.currentContext(), Promise.promise());
    waiting.add(waiter);
    send();
    return waiter.promise.future();
  }

  private void send() {
    while (running < SIDE_BY_SIDE && !waiting.isEmpty()) {
      List<Waiter> together = new ArrayList<>();
      while (together.size() < TOGETHER && !waiting.isEmpty()) {
        together.add(waiting.poll());
      }
      running++;
      tgtadm
          .delete(together.stream().map(Waiter::tid).toList())
          .onComplete(result -> answered(together, result));
    }
  }

  private void answered(List<Waiter> together, AsyncResult<ToolResult> result) {
    running--;
    if (result.failed()) {
      together.forEach(waiter -> waiter.answer(result));
    } else {
      settle(together, result.result());
    }
    send();
  }

  /** Steps after a refused one were not begun: theirs is the next turn. */
  private void settle(List<Waiter> together, ToolResult result) {
    int last = result.step();
    for (int i = together.size() - 1; i > last; i--) {
      waiting.addFirst(together.get(i));
    }
    for (int i = 0; i < last; i++) {
      together.get(i).answer(Future.succeededFuture(DONE));
    }
    together.get(last).answer(Future.succeededFuture(result));
  }
}
