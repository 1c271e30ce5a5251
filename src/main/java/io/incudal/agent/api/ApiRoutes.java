package io.incudal.agent.api;

import io.vertx.core.AsyncResult;
import io.vertx.core.Future;
import io.vertx.core.Handler;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpMethod;
import io.vertx.ext.web.Router;
import io.vertx.ext.web.RoutingContext;
import io.vertx.ext.web.openapi.router.OpenAPIRoute;
import io.vertx.ext.web.openapi.router.RouterBuilder;
import io.vertx.openapi.contract.Operation;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.IntStream;

/**
 * The router, built from the contract: every operation of the document has an endpoint here, and
 * every endpoint an operation there.
 *
 * <p>The validator of the router stays off. Its answers are not the contract's, and a request that
 * it refused would be missing in the audit log, which records refused ones too; {@code lun} judges
 * every member instead. That requests and answers conform to the document is shown by tests.
 */
final class ApiRoutes {
  private final Vertx vertx;
  private final Contract contract;
  private final Gate gate;
  private final Replies replies;
  private final ProblemHandler problems;

  ApiRoutes(Vertx vertx, Contract contract, Gate gate, Replies replies) {
    this.vertx = vertx;
    this.contract = contract;
    this.gate = gate;
    this.replies = replies;
    this.problems = new ProblemHandler(contract, replies);
  }

  /** What an operation does; on the event loop, so whatever takes long is in the future. */
  interface Endpoint {
    Future<Payload> handle(RoutingContext ctx);
  }

  /**
   * @param endpoints by operationId
   */
  Router build(Map<String, Endpoint> endpoints) {
    requireSame(contract.operationIds(), endpoints.keySet());
    RouterBuilder builder = RouterBuilder.create(vertx, contract.openApi()).rootHandler(gate);
    Map<String, Handler<RoutingContext>> heads = new HashMap<>();
    for (OpenAPIRoute route : builder.getRoutes()) {
      Operation operation = route.getOperation();
      Handler<RoutingContext> handler = handler(operation, endpoints);
      route.setDoValidation(false).setDoSecurity(false).addHandler(handler);
      if (operation.getHttpMethod().equals(HttpMethod.GET)) {
        heads.put(operation.getOpenAPIPath(), handler);
      }
    }
    Router router = builder.createRouter();
    heads.forEach((path, handler) -> router.head(path).handler(handler));
    router.route().failureHandler(ctx -> fail(ctx, ctx.statusCode()));
    IntStream.of(400, 404, 405, 500)
        .forEach(status -> router.errorHandler(status, ctx -> fail(ctx, status)));
    return router;
  }

  private Handler<RoutingContext> handler(Operation operation, Map<String, Endpoint> endpoints) {
    Endpoint endpoint = endpoints.get(operation.getOperationId());
    List<String> scopes = Contract.scopes(operation);
    return ctx -> {
      Exchange exchange = Exchange.of(ctx);
      exchange.routed(operation.getOpenAPIPath());
      if (scopes.isEmpty() || exchange.access().allows(scopes)) {
        exchange
            .during(endpoint.handle(ctx))
            .onComplete(outcome -> exchange.run(() -> settle(ctx, exchange, outcome)));
      } else {
        ctx.fail(ProblemHandler.lacking(String.join(" ", scopes)));
      }
    };
  }

  private static void requireSame(Set<String> operations, Set<String> endpoints) {
    if (!operations.equals(endpoints)) {
      throw new IllegalStateException(
          "the contract has " + operations + ", but there are endpoints for " + endpoints);
    }
  }

  private void settle(RoutingContext ctx, Exchange exchange, AsyncResult<Payload> outcome) {
    if (ctx.response().closed()) {
      exchange.answered(ProblemHandler.NOBODY);
    } else if (outcome.succeeded()) {
      replies
          .send(ctx.request(), 200, outcome.result())
          .onComplete(sent -> exchange.answered(sent.succeeded() ? 200 : ProblemHandler.NOBODY));
    } else {
      ctx.fail(outcome.cause());
    }
  }

  private void fail(RoutingContext ctx, int status) {
    gate.identify(ctx)
        .compose(
            exchange ->
                problems.answer(ctx, status, gate.mayKnow(exchange)).onSuccess(exchange::answered));
  }
}
