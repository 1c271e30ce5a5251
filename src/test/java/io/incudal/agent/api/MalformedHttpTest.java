package io.incudal.agent.api;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.incudal.agent.api.RawHttp.Answer;
import io.vertx.core.Vertx;
import io.vertx.core.json.JsonObject;
import io.vertx.junit5.VertxExtension;
import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What no HTTP library would send. */
@ExtendWith(VertxExtension.class)
class MalformedHttpTest {
  private static final String AUTH = "Authorization: Bearer " + ApiServer.TOKEN;
  private static ApiServer server;

  @BeforeAll
  static void start(Vertx vertx) {
    server = ApiServer.start(vertx);
  }

  @AfterEach
  void servesOthersAsBefore() {
    assertEquals(200, server.get("/healthz").statusCode());
    assertEquals(List.of(), server.asked);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "GARBAGE",
        "GET",
        "GET /lun",
        " ",
        "\u0016\u0003\u0001",
        "GET /lun HTTP/1.1\r\nBad Header: x",
        "GET /lun HTTP/1.1\r\nX: a\u0001b",
        "GET /lun HTTP/1.1\r\nno-colon",
        "GET /lun HTTP/1.1\r\nContent-Length: abc",
        "GET /lun HTTP/1.1\r\nContent-Length: -1",
        "GET /lun HTTP/1.1\r\nContent-Length: 99999999999999999999",
        "POST /lun/disk HTTP/1.1\r\nContent-Length: 3\r\nContent-Length: 4",
        "POST /lun/disk HTTP/1.1\r\nContent-Length: 3\r\nTransfer-Encoding: chunked"
      })
  void answersWhatIsNoHttpAndCloses(String head) throws IOException {
    try (var http = new RawHttp(server.port())) {
      http.send(head + "\r\nHost: x\r\n" + AUTH + "\r\n\r\n");
      Answer answer = http.answer();
      assertProblem(answer, 400, "malformed_request");
      assertEquals("close", answer.header("Connection"));
      assertTrue(http.isClosed());
    }
  }

  @Test
  void answersALineThatIsTooLong() throws IOException {
    assertProblem(ask("GET /lun?iqn=" + "a".repeat(9000) + " HTTP/1.1"), 414, "uri_too_long");
  }

  @Test
  void answersHeadersThatAreTooLarge() throws IOException {
    Answer answer = ask("GET /lun HTTP/1.1", "Host: x", "X: " + "a".repeat(17_000));
    assertProblem(answer, 431, "headers_too_large");
  }

  @Test
  void closesAConnectionWhoseChunksAreBroken() throws IOException {
    try (var http = new RawHttp(server.port())) {
      http.send("POST /lun/disk HTTP/1.1\r\nHost: x\r\n" + AUTH);
      http.send("\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n");
      assertTrue(http.isClosed());
    }
  }

  @Test
  void wantsAHostHeaderFromHttp11Only() throws IOException {
    assertProblem(ask("GET /no/such/path HTTP/1.1", AUTH), 400, "malformed_request");
    assertProblem(ask("GET /no/such/path HTTP/1.0", AUTH), 404, "not_found");
  }

  @ParameterizedTest
  @ValueSource(strings = {"HTTP/1.2", "HTTP/9.9", "HTTP/2.0"})
  void speaksNoOtherVersion(String version) throws IOException {
    assertEquals(501, ask("GET /healthz " + version, "Host: x").status());
  }

  @Test
  void doesNotUpgrade() throws IOException {
    Answer h2c =
        ask(
            "GET /healthz HTTP/1.1",
            "Host: x",
            "Connection: Upgrade, HTTP2-Settings",
            "Upgrade: h2c",
            "HTTP2-Settings: AAMAAABkAAQAAP__");
    assertEquals(200, h2c.status());
    Answer webSocket =
        ask(
            "GET /healthz HTTP/1.1",
            "Host: x",
            "Connection: Upgrade",
            "Upgrade: websocket",
            "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
            "Sec-WebSocket-Version: 13");
    assertEquals(200, webSocket.status());
  }

  @Test
  void speaksToAbsoluteTargetsAsWell() throws IOException {
    assertEquals(200, ask("GET http://any.example/healthz HTTP/1.1", "Host: x").status());
  }

  private static Answer ask(String... lines) throws IOException {
    return RawHttp.ask(server.port(), lines);
  }

  private static void assertProblem(Answer answer, int status, String code) {
    assertEquals(status, answer.status());
    assertEquals("application/problem+json", answer.header("Content-Type"));
    assertNotNull(answer.header("X-Request-Id"));
    JsonObject body = new JsonObject(answer.body());
    assertEquals(code, body.getString("code"));
    assertEquals(status, body.getInteger("status"));
    assertFalse(body.getString("detail").isBlank());
  }
}
