package io.incudal.agent.panel;

import io.incudal.agent.config.PanelConfig;
import io.incudal.agent.support.Origin;
import io.incudal.agent.support.OriginClient;
import io.incudal.agent.support.TlsTrust;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.WorkerExecutor;
import java.time.InstantSource;
import java.util.function.Supplier;

/**
 * One heartbeat: ask the rooms, read the host, sign, send. Belongs to one context; a second one is
 * sent only after the first has ended.
 */
final class Heartbeat {
  private final WorkerExecutor worker;
  private final Supplier<Future<BeatReport.Extras>> rooms;
  private final BeatReport report;
  private final PanelClient client;

  private Heartbeat(
      WorkerExecutor worker,
      Supplier<Future<BeatReport.Extras>> rooms,
      BeatReport report,
      PanelClient client) {
    this.worker = worker;
    this.rooms = rooms;
    this.report = report;
    this.client = client;
  }

  /** Fails when the certificate file of the settings cannot be used. */
  static Future<Heartbeat> prepare(
      Vertx vertx,
      WorkerExecutor worker,
      PanelConfig config,
      Supplier<Future<BeatReport.Extras>> rooms) {
    var clock = new PanelClock(InstantSource.system());
    var host = new HostReport(config.host());
    return worker
        .executeBlocking(
            () -> {
              host.prime();
              return TlsTrust.load(config.caFile());
            },
            false)
        .map(
            trust ->
                new PanelClient(
                    new PanelClient.Target(config.url(), config.requestTimeout()),
                    new OriginClient(vertx, worker, Origin.of(config.url()), trust),
                    new RequestSigner(config.agentId(), config.agentSecret()),
                    clock))
        .map(
            client ->
                new Heartbeat(
                    worker, rooms, new BeatReport(host, clock, config.interval()), client));
  }

  /** Never fails because of the panel; see {@link BeatOutcome}. */
  Future<BeatOutcome> send() {
    return rooms
        .get()
        .compose(extras -> worker.executeBlocking(() -> report.print(extras), false))
        .compose(client::send);
  }

  /** Ends a heartbeat that waits for its answer, too. */
  Future<Void> close() {
    return client.close();
  }
}
