package io.incudal.agent.bench;

import io.vertx.core.Vertx;

/** The least that Vert.x can do for a request: what the agent's rates are measured against. */
final class BareServer {
  private BareServer() {}

  /** Argument: the port on the loopback address. */
  public static void main(String[] args) {
    Vertx.vertx()
        .createHttpServer()
        .requestHandler(
            request ->
                request
                    .response()
                    .putHeader("Content-Type", "application/json")
                    .end("{\"status\":\"ok\"}"))
        .listen(Integer.parseInt(args[0]), "127.0.0.1")
        .await();
  }
}
