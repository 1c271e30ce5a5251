package io.incudal.agent.api;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import io.incudal.agent.bus.Bus;
import io.incudal.agent.bus.LogTag;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpMethod;
import io.vertx.ext.web.Router;
import io.vertx.ext.web.client.HttpResponse;
import io.vertx.ext.web.client.WebClient;
import io.vertx.junit5.VertxExtension;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** The first moments, in which the server listens but has no router yet. */
@ExtendWith(VertxExtension.class)
class DoorTest {
  private final Promise<Router> routes = Promise.promise();
  private Vertx vertx;
  private WebClient client;
  private int port;

  @BeforeEach
  void start(Vertx vertx) {
    Bus.install(vertx);
    this.vertx = vertx;
    var connections = new Connections(vertx, HttpLimits.DEFAULTS, System::nanoTime);
    var replies = new Replies(vertx, connections);
    var door = new Door(new RequestIds(id -> false), connections, replies, routes.future());
    port =
        vertx.createHttpServer().requestHandler(door).listen(0, "127.0.0.1").await().actualPort();
    client = WebClient.create(vertx);
  }

  @Test
  void saysThatItLives() {
    HttpResponse<Buffer> answer = ask(HttpMethod.GET, "/healthz", "").await();
    assertEquals("{\"status\":\"ok\"}", answer.bodyAsString());
    assertEquals("mine", answer.getHeader("X-Request-Id"));
    assertEquals(200, ask(HttpMethod.HEAD, "/healthz", "").await().statusCode());
  }

  @Test
  void letsOtherRequestsWaitAndLosesNothingOfThem() {
    Future<HttpResponse<Buffer>> first = ask(HttpMethod.POST, "/any", "x".repeat(200_000));
    ask(HttpMethod.GET, "/healthz", "").await();
    assertFalse(first.isComplete());
    routes.complete(echo());
    assertEquals("mine 200000", first.await().bodyAsString());
    assertEquals("mine 3", ask(HttpMethod.POST, "/any", "abc").await().bodyAsString());
  }

  private Router echo() {
    Router router = Router.router(vertx);
    router
        .route()
        .handler(
            ctx ->
                ctx.request()
                    .body()
                    .onSuccess(body -> ctx.end(LogTag.REQUEST.current() + " " + body.length())));
    return router;
  }

  private Future<HttpResponse<Buffer>> ask(HttpMethod method, String path, String body) {
    return client
        .request(method, port, "127.0.0.1", path)
        .putHeader("X-Request-Id", "mine")
        .sendBuffer(Buffer.buffer(body));
  }
}
