package io.incudal.agent.support;

import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import java.time.Duration;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs a task again and again, each time a pause after its last run has ended: runs never overlap,
 * and a run that fails or throws is followed by the next one all the same.
 *
 * <p>Belongs to the context that it was made on: the task runs there, and {@link #start} and {@link
 * #stop} may be called from anywhere.
 */
public final class Repeater {
  private static final Logger LOG = LoggerFactory.getLogger(Repeater.class);
  private static final double JITTER = 0.1;

  private final Vertx vertx;
  private final Context context;
  private final String name;
  private final Supplier<Future<?>> task;
  private final Supplier<Duration> pause;
  private final Promise<Void> firstRun = Promise.promise();

  // All of these are touched on the context only.
  private Future<?> running = Future.succeededFuture();
  private Long timer;
  private boolean stopped;
  private boolean failing;

  /**
   * @param name of the task, for the log
   * @param task handles the failures that it knows; others are logged when they begin
   * @param pause asked after every run; see {@link #jittered}
   */
  public Repeater(Vertx vertx, String name, Supplier<Future<?>> task, Supplier<Duration> pause) {
    this.vertx = vertx;
    this.context = vertx.getOrCreateContext();
    this.name = name;
    this.task = task;
    this.pause = pause;
  }

  /** Pauses of at most this length and at least nine tenths of it, so that nodes drift apart. */
  public static Supplier<Duration> jittered(Duration longest) {
    return () -> {
      double factor = 1 - JITTER * ThreadLocalRandom.current().nextDouble();
      return Duration.ofNanos((long) (longest.toNanos() * factor));
    };
  }

  /**
   * Begins, once only.
   *
   * @param first how long to wait before the first run; zero runs it at once
   * @return completes when the first run has ended, well or not; fails when it was stopped before
   */
  public Future<Void> start(Duration first) {
    context.runOnContext(go -> arm(first));
    return firstRun.future();
  }

  /** No run begins from now on; completes when the one in progress has ended. */
  public Future<Void> stop() {
    Promise<Void> ended = Promise.promise();
    context.runOnContext(
        go -> {
          stopped = true;
          if (timer != null) {
            vertx.cancelTimer(timer);
          }
          running.onComplete(done -> context.runOnContext(then -> settle(ended)));
        });
    return ended.future();
  }

  private void settle(Promise<Void> ended) {
    firstRun.tryFail("stopped before the first run");
    ended.complete();
  }

  private void arm(Duration wait) {
    if (stopped) {
      return;
    }
    if (wait.toMillis() < 1) {
      run();
    } else {
      timer = vertx.setTimer(wait.toMillis(), due -> run());
    }
  }

  private void run() {
    timer = null;
    running = attempt();
    // A task may complete its future on any thread.
    running.onComplete(done -> context.runOnContext(go -> ended(done.cause())));
  }

  private Future<?> attempt() {
    try {
      return task.get();
    } catch (RuntimeException thrown) {
      return Future.failedFuture(thrown);
    }
  }

  private void ended(Throwable failure) {
    if (failure != null && !failing) {
      LOG.error("periodic task failed, and is repeated task={}", name, failure);
    } else if (failure == null && failing) {
      LOG.info("periodic task works again task={}", name);
    }
    failing = failure != null;
    firstRun.tryComplete();
    arm(pause.get());
  }
}
