package io.incudal.agent.upgrade;

import io.incudal.agent.bus.Bus;
import io.incudal.agent.config.PanelConfig;
import io.incudal.agent.support.Origin;
import io.incudal.agent.support.OriginClient;
import io.incudal.agent.support.TlsTrust;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.WorkerExecutor;
import io.vertx.core.net.TrustOptions;
import java.time.Duration;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;

/**
 * The order of an upgrade: what is waited for on the event loop, and what is done on the worker.
 *
 * <p>Belongs to the upgrade's verticle; one attempt at a time.
 */
final class UpgradeRun {
  /** Ordered for two seconds later; the rest is for a busy machine. */
  private static final Duration RESTART_LIMIT = Duration.ofMinutes(2);

  private final Vertx vertx;
  private final WorkerExecutor worker;
  private final PanelConfig config;
  private final Operations operations;
  private OriginClient http;
  private Future<?> step = Future.succeededFuture();
  private Future<Void> run = Future.succeededFuture();
  private boolean stopping;

  UpgradeRun(Vertx vertx, WorkerExecutor worker, PanelConfig config, Bus bus) {
    this.vertx = vertx;
    this.worker = worker;
    this.config = config;
    this.operations = new Operations(vertx, bus);
  }

  private interface Step {
    void run() throws Exception;
  }

  /**
   * Ends with the process when it succeeds, and so completes only by failing, with an {@link
   * UpgradeException}, after everything is as it was before.
   */
  Future<Void> run(UpgradeAttempt attempt) {
    run = inOrder(attempt);
    return run;
  }

  private Future<Void> inOrder(UpgradeAttempt attempt) {
    return delay()
        .compose(go -> blocking(attempt::begin))
        .compose(begun -> download(attempt))
        .compose(here -> blocking(attempt::test))
        .compose(tested -> drain(attempt))
        .compose(quiet -> blocking(attempt::replace))
        .compose(ordered -> overdue())
        .recover(failure -> undo(attempt, explain(failure)))
        .eventually(() -> blocking(attempt::close));
  }

  /** No step begins from now on; completes when the one in progress has ended or is undone. */
  Future<Void> stop() {
    stopping = true;
    // What only waits has nothing to undo, and its timers go with the verticle.
    return http == null
        ? step.<Void>mapEmpty().otherwiseEmpty()
        : http.close().eventually(() -> run).otherwiseEmpty();
  }

  /** A fleet gets its offer at the same moment, and must not take it at the same moment. */
  private Future<Void> delay() {
    long longest = config.upgrade().maxDelay().toMillis();
    long wait = ThreadLocalRandom.current().nextLong(longest + 1);
    return wait == 0
        ? Future.succeededFuture()
        : vertx.timer(wait, TimeUnit.MILLISECONDS).mapEmpty();
  }

  private Future<Void> download(UpgradeAttempt attempt) {
    Origin panel = Origin.of(config.url());
    return worker
        .executeBlocking(() -> TlsTrust.load(config.caFile()), false)
        .compose(
            (TrustOptions trust) -> {
              http = new OriginClient(vertx, worker, panel, trust);
              return new PackageDownload(vertx, http, panel)
                  .fetch(attempt.wanted(), attempt.packed())
                  .eventually(this::hangUp);
            });
  }

  private Future<Void> hangUp() {
    Future<Void> closed = http.close();
    http = null;
    return closed;
  }

  private Future<Void> drain(UpgradeAttempt attempt) {
    return operations
        .count()
        .compose(
            count ->
                count == 0
                    ? Future.succeededFuture()
                    : blocking(() -> attempt.drain("waits for " + count + " operations"))
                        .compose(told -> operations.none()));
  }

  /** The restart ends the timer along with everything else, if it comes. */
  private Future<Void> overdue() {
    return vertx
        .timer(RESTART_LIMIT.toMillis(), TimeUnit.MILLISECONDS)
        .compose(late -> Future.failedFuture(new UpgradeException("the restart did not come")));
  }

  private Future<Void> undo(UpgradeAttempt attempt, UpgradeException failure) {
    // A stop between the order and the restart is the restart.
    return stopping && attempt.ordered()
        ? Future.failedFuture(failure)
        : step(() -> attempt.undo(failure)).compose(undone -> Future.failedFuture(failure));
  }

  private Future<Void> blocking(Step action) {
    return stopping
        ? Future.failedFuture(new UpgradeException("the agent was stopped"))
        : step(action);
  }

  private Future<Void> step(Step action) {
    Future<Void> running =
        worker.executeBlocking(
            () -> {
              action.run();
              return null;
            },
            false);
    step = running;
    return running;
  }

  private static UpgradeException explain(Throwable failure) {
    return failure instanceof UpgradeException known
        ? known
        : new UpgradeException(UpgradeException.words(failure), failure);
  }
}
