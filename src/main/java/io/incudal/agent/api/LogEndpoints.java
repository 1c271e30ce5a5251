package io.incudal.agent.api;

import io.incudal.agent.api.Members.Range;
import io.incudal.agent.audit.AuditMessages.ReadPage;
import io.incudal.agent.bus.Addresses;
import io.incudal.agent.bus.Bus;
import io.vertx.core.Future;
import io.vertx.core.MultiMap;
import io.vertx.ext.web.RoutingContext;

/** Pages of the audit log. */
final class LogEndpoints {
  private static final Range SINCE = new Range(0, 0, Long.MAX_VALUE);
  private static final Range LIMIT = new Range(1000, 1, 10_000);

  private final Bus bus;
  private final BusWaits waits;

  LogEndpoints(Bus bus, Endpoints.Settings settings) {
    this.bus = bus;
    this.waits = settings.waits();
  }

  Future<Payload> page(RoutingContext ctx) {
    MultiMap query = ctx.queryParams();
    var question =
        new ReadPage(
            Members.number(query, "since", SINCE), (int) Members.number(query, "limit", LIMIT));
    return bus.request(Addresses.AUDIT_READ, question, waits.read()).map(Payload::page);
  }
}
