package io.incudal.agent.panel;

import io.incudal.agent.config.PanelConfig;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.WorkerExecutor;

/**
 * The flag {@code -once}: one heartbeat, to see that address, certificate and secret are right.
 * Looks at no offer: what is being tested before an installation must not replace itself.
 */
public final class SingleHeartbeat {
  private SingleHeartbeat() {}

  /**
   * @param accepted whether the panel took it
   * @param summary for the person who asked
   */
  public record Result(boolean accepted, String summary) {}

  /** Fails when the certificate file of the settings cannot be used. */
  public static Future<Result> send(Vertx vertx, PanelConfig config) {
    WorkerExecutor worker = vertx.createSharedWorkerExecutor("heartbeat", 1);
    return Heartbeat.prepare(
            vertx, worker, config, () -> Future.succeededFuture(BeatReport.Extras.NONE))
        .compose(Heartbeat::send)
        .map(outcome -> new Result(outcome instanceof BeatOutcome.Accepted, outcome.summary()));
  }
}
