package io.incudal.agent.api;

import io.incudal.agent.bus.LogTag;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Handler;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpVersion;
import io.vertx.ext.web.Router;

/**
 * Where every request comes in: gives it its id, answers the liveness probe at once, and hands the
 * rest to the router.
 *
 * <p>On the event loop. The probe needs neither router nor contract, so it is answered while these
 * are still being built, and at the speed of the server itself.
 */
final class Door implements Handler<HttpServerRequest> {
  private static final CharSequence REQUEST_ID = HttpHeaders.createOptimized(RequestIds.HEADER);
  private static final String HEALTH = "/healthz";

  private final RequestIds ids;
  private final Connections connections;
  private final Replies replies;
  private final Future<Router> routes;

  Door(RequestIds ids, Connections connections, Replies replies, Future<Router> routes) {
    this.ids = ids;
    this.connections = connections;
    this.replies = replies;
    this.routes = routes;
  }

  @Override
  public void handle(HttpServerRequest request) {
    begin(request);
    if (request.version() != HttpVersion.HTTP_2 && request.response().writeQueueFull()) {
      // It sends requests without reading answers; more of these would only fill memory.
      request.connection().close();
    } else if (HEALTH.equals(request.path()) && isRead(request.method())) {
      request.routed(HEALTH);
      replies.send(request, 200, NodeEndpoints.health());
    } else if (routes.isComplete()) {
      routes.result().handle(request);
    } else {
      Context own = Vertx.currentContext();
      request.pause();
      routes.onSuccess(router -> own.runOnContext(go -> late(router, request)));
    }
  }

  /** What is no HTTP. */
  void malformed(HttpServerRequest request) {
    begin(request);
    ProblemHandler.malformed(replies, request);
  }

  private static void late(Router router, HttpServerRequest request) {
    router.handle(request);
    request.resume();
  }

  private void begin(HttpServerRequest request) {
    connections.began(request);
    String id = ids.of(request);
    LogTag.REQUEST.bind(id);
    request.response().putHeader(REQUEST_ID, id);
  }

  private static boolean isRead(HttpMethod method) {
    return method.equals(HttpMethod.GET) || method.equals(HttpMethod.HEAD);
  }
}
