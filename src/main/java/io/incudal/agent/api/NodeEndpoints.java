package io.incudal.agent.api;

import io.incudal.agent.auth.Access;
import io.incudal.agent.bus.Addresses;
import io.incudal.agent.bus.AgentException;
import io.incudal.agent.bus.Bus;
import io.incudal.agent.bus.ErrorCode;
import io.incudal.agent.image.ImageMessages.ListMasters;
import io.incudal.agent.image.ImageMessages.MasterList;
import io.incudal.agent.lun.LunMessages.BackendView;
import io.incudal.agent.lun.LunMessages.DescribeBackend;
import io.incudal.agent.lun.LunMessages.DescribeCapabilities;
import io.incudal.agent.metrics.MetricsMessages.Scrape;
import io.vertx.core.Future;
import io.vertx.ext.web.RoutingContext;
import java.util.List;

/** What the node is and has, nearly all of it from memory, and the probes. */
final class NodeEndpoints {
  private static final List<String> FEATURES =
      List.of("force", "openapi", "problem_json", "readyz", "request_id", "scan_failed");
  private static final Payload HEALTHY = Payload.json(Views.status("ok"));
  private static final Future<Payload> READY =
      Future.succeededFuture(Payload.json(Views.status("ready")));

  private final Bus bus;
  private final BusWaits waits;
  private final String version;
  private final Future<Payload> document;
  private final Joined<BackendView> backend;
  private final Joined<MasterList> masters;
  private final Rendered<MasterList> mastersJson;

  NodeEndpoints(Bus bus, Endpoints.Settings settings) {
    this.bus = bus;
    this.waits = settings.waits();
    this.version = settings.version();
    this.document = Future.succeededFuture(Payload.yaml(settings.document()));
    this.backend =
        new Joined<>(() -> bus.request(Addresses.LUN_QUERY, new DescribeBackend(), waits.read()));
    this.masters =
        new Joined<>(() -> bus.request(Addresses.IMAGE_MASTERS, new ListMasters(), waits.read()));
    this.mastersJson =
        new Rendered<>(list -> Future.succeededFuture(Payload.json(Views.masters(list))));
  }

  /** The one answer that needs nothing, not even this object. */
  static Payload health() {
    return HEALTHY;
  }

  Future<Payload> readyz(RoutingContext ctx) {
    boolean trusted = Exchange.of(ctx).access() instanceof Access.Granted;
    return backend
        .ask()
        .compose(
            view ->
                view.ready() && view.scanned()
                    ? READY
                    : Future.failedFuture(
                        new AgentException(
                            ErrorCode.NOT_READY,
                            trusted ? reason(view) : "the agent is not ready")));
  }

  Future<Payload> capabilities(RoutingContext ctx) {
    return bus.request(Addresses.LUN_QUERY, new DescribeCapabilities(), waits.read())
        .map(reply -> Payload.json(Views.capabilities(reply, version, FEATURES)));
  }

  Future<Payload> masters(RoutingContext ctx) {
    return masters.ask().compose(mastersJson::of);
  }

  Future<Payload> metrics(RoutingContext ctx) {
    return bus.request(Addresses.METRICS_SCRAPE, new Scrape(), waits.read())
        .map(scraped -> Payload.metrics(scraped.text()));
  }

  Future<Payload> openapi(RoutingContext ctx) {
    return document;
  }

  private static String reason(BackendView view) {
    return view.ready()
        ? "the targets are being restored"
        : view.problem().orElse("the target daemon has not answered yet");
  }
}
