package io.incudal.agent.api;

import io.incudal.agent.auth.Access;
import io.incudal.agent.auth.Authenticator;
import io.incudal.agent.bus.AgentException;
import io.incudal.agent.bus.ErrorCode;
import io.vertx.core.Future;
import io.vertx.core.Handler;
import io.vertx.core.Promise;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.ext.web.RoutingContext;
import java.util.Optional;
import javax.net.ssl.SSLPeerUnverifiedException;

/**
 * The first handler of every routed request: who is it, and is there room? Judges the caller before
 * anything else about the request, and counts what is in flight.
 *
 * <p>On the event loop.
 */
final class Gate implements Handler<RoutingContext> {
  private static final Future<Access> REFUSED = Future.succeededFuture(Access.REFUSED);

  private final Contract contract;
  private final Rules rules;
  private final RequestListener listener;
  private final RefusalLog tokenless = new RefusalLog("requests without a good token");
  private final RefusalLog uncertified = new RefusalLog("requests without a client certificate");
  private final Promise<Void> empty = Promise.promise();
  private int inFlight;
  private boolean stopping;

  Gate(Contract contract, Rules rules, RequestListener listener) {
    this.contract = contract;
    this.rules = rules;
    this.listener = listener;
  }

  /**
   * @param certificate whether callers need a client certificate beside the token
   * @param max how many requests of theirs may be in flight, each with a body in memory
   */
  record Rules(Authenticator authenticator, boolean certificate, int max) {}

  @Override
  public void handle(RoutingContext ctx) {
    HttpServerRequest request = ctx.request();
    Future<Exchange> identified = identify(ctx);
    if (identified.isComplete()) {
      admit(ctx, identified.result());
    } else {
      // No part of the body may pass by before there is a handler for it.
      request.pause();
      identified.onSuccess(
          exchange ->
              // Another request with the same token may be the one that was waited for.
              exchange.run(
                  () -> {
                    admit(ctx, exchange);
                    request.resume();
                  }));
    }
  }

  /** The request's exchange, begun if need be, with the caller judged. Never fails. */
  Future<Exchange> identify(RoutingContext ctx) {
    Exchange known = Exchange.of(ctx);
    if (known != null) {
      return Future.succeededFuture(known);
    }
    var exchange = new Exchange(ctx.vertx(), ctx.request(), listener);
    exchange.attach(ctx);
    return judge(ctx.request())
        .map(
            access -> {
              exchange.grant(access);
              // Others have no work here, and must not take the place of those who have.
              if (access instanceof Access.Granted) {
                inFlight++;
                exchange.atEnd(this::left);
              }
              return exchange;
            });
  }

  /** Whether the caller may learn anything but that it is not authorized. */
  boolean mayKnow(Exchange exchange) {
    return exchange.access() instanceof Access.Granted || isOpen(exchange.request());
  }

  /** Refuses new work from now on; completes when what is in flight has ended. */
  Future<Void> stop() {
    stopping = true;
    if (inFlight == 0) {
      empty.tryComplete();
    }
    return empty.future();
  }

  int inFlight() {
    return inFlight;
  }

  private void admit(RoutingContext ctx, Exchange exchange) {
    if (!mayKnow(exchange)) {
      RefusalLog refusals = certified(ctx.request()) ? tokenless : uncertified;
      refusals.note(exchange.caller().client());
      ctx.fail(ProblemHandler.unauthorized());
    } else if (stopping) {
      ctx.fail(new AgentException(ErrorCode.STOPPING, "the agent is stopping; try again soon"));
    } else if (inFlight > rules.max() && !isOpen(ctx.request())) {
      ctx.fail(
          new AgentException(
              ErrorCode.OVERLOADED, "too many requests are in flight; try again soon"));
    } else {
      ctx.next();
    }
  }

  private Future<Access> judge(HttpServerRequest request) {
    Optional<String> token = BearerToken.of(request);
    return certified(request)
        ? token.map(rules.authenticator()::authenticate).orElse(REFUSED)
        : REFUSED;
  }

  /** A certificate that is shown is a good one: the handshake fails with any other. */
  private boolean certified(HttpServerRequest request) {
    try {
      return !rules.certificate() || !request.connection().peerCertificates().isEmpty();
    } catch (SSLPeerUnverifiedException none) {
      return false;
    }
  }

  private boolean isOpen(HttpServerRequest request) {
    return contract.isOpen(request.method(), request.path());
  }

  private void left() {
    inFlight--;
    if (stopping && inFlight == 0) {
      empty.tryComplete();
    }
  }
}
