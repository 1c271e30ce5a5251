package io.incudal.agent.api;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.vertx.core.Vertx;
import io.vertx.junit5.VertxExtension;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

@ExtendWith(VertxExtension.class)
class HttpVerticleTest {
  @Test
  void servesTheContractOnceItIsStarted(Vertx vertx) {
    var server = ApiServer.start(vertx);
    assertEquals("{\"status\":\"ok\"}", server.get("/healthz").bodyAsString());
    assertEquals(200, server.get("/lun").statusCode());
    assertEquals(200, server.post("/lun/scan", "").statusCode());
  }
}
