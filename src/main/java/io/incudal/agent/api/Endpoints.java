package io.incudal.agent.api;

import io.incudal.agent.api.ApiRoutes.Endpoint;
import io.incudal.agent.bus.Bus;
import io.vertx.core.Future;
import io.vertx.core.WorkerExecutor;
import io.vertx.core.buffer.Buffer;
import java.util.Map;

/** All operations of the contract, by operationId. */
final class Endpoints {
  private Endpoints() {}

  /**
   * @param waits how long the bus is waited for
   * @param iqnBase what an IQN that may be logged begins with
   * @param version of the agent
   * @param document the contract, as it is served
   */
  record Settings(BusWaits waits, String iqnBase, String version, Buffer document) {}

  static Map<String, Endpoint> of(
      Bus bus, Settings settings, BodyReader bodies, WorkerExecutor renderer) {
    var targets = new TargetEndpoints(bus, settings, bodies, renderer);
    var node = new NodeEndpoints(bus, settings);
    var logs = new LogEndpoints(bus, settings);
    return Map.ofEntries(
        Map.entry("healthz", ctx -> Future.succeededFuture(NodeEndpoints.health())),
        Map.entry("readyz", node::readyz),
        Map.entry("createDisk", targets::createDisk),
        Map.entry("mountCd", targets::mountCd),
        Map.entry("scan", targets::scan),
        Map.entry("deleteTarget", targets::delete),
        Map.entry("listTargets", targets::list),
        Map.entry("capabilities", node::capabilities),
        Map.entry("masters", node::masters),
        Map.entry("logs", logs::page),
        Map.entry("metrics", node::metrics),
        Map.entry("openapi", node::openapi));
  }
}
