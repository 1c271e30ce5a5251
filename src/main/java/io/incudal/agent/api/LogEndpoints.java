package io.incudal.agent.api;

import io.incudal.agent.api.Members.Range;
import io.incudal.agent.audit.AuditMessages.Page;
import io.incudal.agent.audit.AuditMessages.ReadPage;
import io.incudal.agent.bus.Addresses;
import io.incudal.agent.bus.AgentException;
import io.incudal.agent.bus.Bus;
import io.incudal.agent.bus.ErrorCode;
import io.vertx.core.Future;
import io.vertx.core.MultiMap;
import io.vertx.ext.web.RoutingContext;

/**
 * Pages of the audit log. A page may be megabytes, and a slow client holds it for as long as it
 * reads, so all pages together may take a part of the heap and no more.
 */
final class LogEndpoints {
  private static final Range SINCE = new Range(0, 0, Long.MAX_VALUE);
  private static final Range LIMIT = new Range(1000, 1, 10_000);

  private final Bus bus;
  private final BusWaits waits;
  private final long maxHeld = Runtime.getRuntime().maxMemory() / 4;
  private long held;

  LogEndpoints(Bus bus, Endpoints.Settings settings) {
    this.bus = bus;
    this.waits = settings.waits();
  }

  Future<Payload> page(RoutingContext ctx) {
    MultiMap query = ctx.queryParams();
    var question =
        new ReadPage(
            Members.number(query, "since", SINCE), (int) Members.number(query, "limit", LIMIT));
    return bus.request(Addresses.AUDIT_READ, question, waits.read())
        .compose(page -> hold(page, Exchange.of(ctx)));
  }

  private Future<Payload> hold(Page page, Exchange exchange) {
    int bytes = page.entries().length();
    if (held > 0 && held + bytes > maxHeld) {
      return Future.failedFuture(
          new AgentException(
              ErrorCode.OVERLOADED, "too many log pages are being read; try again soon"));
    }
    held += bytes;
    exchange.atEnd(() -> held -= bytes);
    return Future.succeededFuture(Payload.page(page));
  }
}
