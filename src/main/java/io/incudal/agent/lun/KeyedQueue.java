package io.incudal.agent.lun;

import io.incudal.agent.bus.AgentException;
import io.incudal.agent.bus.ErrorCode;
import io.incudal.agent.config.QueueConfig;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;

/**
 * Turns: the tasks of one key run one at a time, first come first served; those of different keys
 * run side by side. A task that fails, or whose caller has gone, does not hold up the next one.
 *
 * <p>Belongs to one verticle's context and holds no thread: tasks begin on that context, each in
 * the name of the request that brought it. A key that nobody waits for takes no memory.
 */
final class KeyedQueue {
  private final QueueConfig limits;
  private final Map<String, Deque<Turn<?>>> lines = new HashMap<>();
  private final Promise<Void> drained = Promise.promise();
  private int submitted;
  private boolean closed;

  /** A queue that callers fill only with {@link #enqueue}. */
  KeyedQueue() {
    this(new QueueConfig(0, 0));
  }

  /**
   * @param limits for what {@link #submit} takes
   */
  KeyedQueue(QueueConfig limits) {
    this.limits = limits;
  }

  /** Takes a caller's task; fails with {@code OVERLOADED} when too many are waiting. */
  <T> Future<T> submit(String key, Supplier<Future<T>> task) {
    Deque<Turn<?>> line = lines.get(key);
    if (line != null && line.size() >= limits.perTarget()) {
      return overloaded("for this target");
    }
    if (submitted >= limits.total()) {
      return overloaded("on this node");
    }
    submitted++;
    return enqueue(key, task).andThen(done -> submitted--);
  }

  /** Takes a task that is part of one already taken, or the agent's own. */
  <T> Future<T> enqueue(String key, Supplier<Future<T>> task) {
    if (closed) {
      return Future.failedFuture(stopping());
    }
    Deque<Turn<?>> line = lines.computeIfAbsent(key, none -> new ArrayDeque<>());
    var turn = new Turn<>(key, task, Vertx.currentContext(), Promise.<T>promise());
    line.add(turn);
    if (line.size() == 1) {
      begin(turn);
    }
    return turn.outcome.future();
  }

  /**
   * Lets running tasks end, and fails those that wait, and later ones, with {@code STOPPING}.
   *
   * @return completes when no task runs any more
   */
  Future<Void> close() {
    closed = true;
    List<Turn<?>> waiting = new ArrayList<>();
    for (Deque<Turn<?>> line : lines.values()) {
      Turn<?> running = line.poll();
      waiting.addAll(line);
      line.clear();
      line.add(running);
    }
    waiting.forEach(turn -> turn.outcome.fail(stopping()));
    return lines.isEmpty() ? Future.succeededFuture() : drained.future();
  }

  /** How many keys have a task running. */
  int busyKeys() {
    return lines.size();
  }

  private <T> void begin(Turn<T> turn) {
    Future<T> running;
    try {
      running = turn.task.get();
    } catch (RuntimeException thrown) {
      running = Future.failedFuture(thrown);
    }
    running.onComplete(
        done -> {
          // The next one first: the caller's reaction must not come between.
          leave(turn.key);
          turn.outcome.handle(done);
        });
  }

  private void leave(String key) {
    Deque<Turn<?>> line = lines.get(key);
    line.poll();
    Turn<?> next = line.peek();
    if (next != null) {
      next.context.runOnContext(go -> begin(next));
      return;
    }
    lines.remove(key);
    if (closed && lines.isEmpty()) {
      drained.complete();
    }
  }

  private static <T> Future<T> overloaded(String where) {
    return Future.failedFuture(
        new AgentException(
            ErrorCode.OVERLOADED,
            "too many operations are waiting " + where + "; try again in a few seconds"));
  }

  private static AgentException stopping() {
    return new AgentException(ErrorCode.STOPPING, "the agent is stopping; nothing was changed");
  }

  /**
   * @param context of the request, so that the task runs with its request id
   */
  private record Turn<T>(
      String key, Supplier<Future<T>> task, Context context, Promise<T> outcome) {}
}
