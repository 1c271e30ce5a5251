package io.incudal.agent.api;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;

import io.vertx.core.Vertx;
import io.vertx.core.http.HttpMethod;
import io.vertx.junit5.VertxExtension;
import java.io.IOException;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Field case B62: who has no token learns nothing, on whatever path. */
@ExtendWith(VertxExtension.class)
class AuthenticationTest {
  private static final String REFUSED =
      "{\"detail\":\"unauthorized\",\"code\":\"unauthorized\",\"status\":401,"
          + "\"title\":\"Unauthorized\"}";
  private static ApiServer server;

  @BeforeAll
  static void start(Vertx vertx) {
    server = ApiServer.start(vertx);
  }

  @BeforeEach
  void reset() {
    server.reset();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "Bearer ",
        "Bearer",
        "Bearer  " + ApiServer.TOKEN,
        "Bearer " + ApiServer.TOKEN + " x",
        "Bearer " + ApiServer.TOKEN + "\u00a0",
        "Bearer\t" + ApiServer.TOKEN,
        "Bearer wrong",
        "Bearer Correct-horse-battery-staple",
        "Bearer correct-horse-battery-stapl",
        "Bearer " + ApiServer.TOKEN + "," + ApiServer.TOKEN,
        "Basic dXNlcjpwYXNz",
        "Token " + ApiServer.TOKEN,
        ApiServer.TOKEN,
        "",
        " "
      })
  void refusesWhatIsNotTheToken(String header) throws IOException {
    assertRefused(
        RawHttp.ask(server.port(), "GET /lun HTTP/1.1", "Host: x", "Authorization: " + header));
  }

  @Test
  void refusesARequestWithoutAToken() throws IOException {
    assertRefused(RawHttp.ask(server.port(), "GET /lun HTTP/1.1", "Host: x"));
  }

  @Test
  void refusesTheTokenGivenTwice() throws IOException {
    String header = "Authorization: Bearer " + ApiServer.TOKEN;
    assertRefused(RawHttp.ask(server.port(), "GET /lun HTTP/1.1", "Host: x", header, header));
  }

  @Test
  void refusesTheTokenInTheQuery() throws IOException {
    assertRefused(
        RawHttp.ask(
            server.port(), "GET /lun?access_token=" + ApiServer.TOKEN + " HTTP/1.1", "Host: x"));
  }

  @ParameterizedTest
  @CsvSource({
    "GET,/lun",
    "DELETE,/lun?iqn=x",
    "POST,/lun/disk",
    "POST,/lun/cd",
    "POST,/lun/scan",
    "GET,/capabilities",
    "GET,/masters",
    "GET,/logs",
    "GET,/logs?since=abc",
    "GET,/openapi.yaml",
    "GET,/",
    "GET,/no/such/path",
    "GET,/%zz",
    "GET,/lun?%zz",
    "PUT,/lun",
    "OPTIONS,/lun",
    "OPTIONS,*",
    "TRACE,/lun",
    "CONNECT,a.example:80",
    "POST,/healthz",
    "DELETE,/readyz",
    "GET,/healthz/",
    "GET,//healthz",
    "GET,/./healthz",
    "GET,/lun/../healthz",
    "GET,/HEALTHZ",
    "GET,lun"
  })
  void refusesBeforeItLooksAtPathOrMethod(String method, String target) throws IOException {
    assertRefused(RawHttp.ask(server.port(), method + " " + target + " HTTP/1.1", "Host: x"));
  }

  @Test
  void refusesHeadWithoutABody() throws IOException {
    try (var http = new RawHttp(server.port())) {
      http.send("HEAD /lun HTTP/1.1\r\nHost: x\r\n\r\n");
      assertEquals(401, http.headOnly().status());
    }
  }

  @Test
  void refusesBeforeItLooksAtTheHostHeader() throws IOException {
    assertRefused(RawHttp.ask(server.port(), "GET /lun HTTP/1.1"));
  }

  @Test
  void refusesBeforeItLooksAtTheBody() throws IOException {
    assertRefused(
        RawHttp.ask(
            server.port(), "POST /lun/disk HTTP/1.1", "Host: x", "Content-Length: 20000000"));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "Bearer " + ApiServer.TOKEN,
        "bearer " + ApiServer.TOKEN,
        "BEARER " + ApiServer.TOKEN,
        "bEaReR " + ApiServer.PREVIOUS
      })
  void takesTheTokenAndTheOneBeforeWithTheSchemeInAnyCase(String header) throws IOException {
    var answer =
        RawHttp.ask(server.port(), "GET /lun HTTP/1.1", "Host: x", "Authorization: " + header);
    assertEquals(200, answer.status());
    assertNull(answer.header("WWW-Authenticate"));
  }

  @ParameterizedTest
  @CsvSource({"GET,/healthz", "HEAD,/healthz", "GET,/readyz", "HEAD,/readyz"})
  void asksNoTokenOfProbes(HttpMethod method, String path) {
    assertEquals(200, server.anonymous(method, path).send().await().statusCode());
  }

  @Test
  void asksNoTokenOfProbesEvenIfTheyBringAWrongOne() {
    var probe = server.anonymous(HttpMethod.GET, "/readyz");
    assertEquals(200, probe.putHeader("Authorization", "Bearer wrong").send().await().statusCode());
  }

  private static void assertRefused(RawHttp.Answer answer) {
    assertEquals(401, answer.status());
    assertEquals("Bearer", answer.header("WWW-Authenticate"));
    assertEquals("application/problem+json", answer.header("Content-Type"));
    assertNotNull(answer.header("X-Request-Id"));
    assertEquals(REFUSED, answer.body());
    assertEquals(0, server.asked.size());
  }
}
