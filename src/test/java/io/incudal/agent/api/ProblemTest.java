package io.incudal.agent.api;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.incudal.agent.bus.AgentException;
import io.incudal.agent.bus.ErrorCode;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import io.vertx.ext.web.client.HttpResponse;
import io.vertx.junit5.VertxExtension;
import java.io.IOException;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** Field case B71: every failure has one shape, and says what can be done. */
@ExtendWith(VertxExtension.class)
class ProblemTest {
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
  @EnumSource(ErrorCode.class)
  void sendsEveryCodeWithItsStatusAndItsTitle(ErrorCode code) {
    server.lun = command -> ApiServer.bad(code, "what can be done");
    HttpResponse<Buffer> answer = server.post("/lun/scan", "");
    assertProblem(answer, code);
    assertEquals("what can be done", answer.bodyAsJsonObject().getString("detail"));
  }

  @ParameterizedTest
  @EnumSource(ErrorCode.class)
  void saysWhenToComeAgainIfThatHelps(ErrorCode code) {
    server.query = query -> ApiServer.bad(code, "what can be done");
    String seconds = server.get("/lun").getHeader("Retry-After");
    if (code.status() == 503) {
      assertTrue(Integer.parseInt(seconds) > 0);
    } else {
      assertNull(seconds);
    }
  }

  @Test
  void sendsTheMembersOfAFailure() {
    server.lun =
        command ->
            Future.failedFuture(
                new AgentException(ErrorCode.TARGET_IN_USE, "in use")
                    .with("initiators", List.of("iqn.a", "iqn.b"))
                    .with("count", 2)
                    .with("sure", true)
                    .with("backing", "/img/\"x\".img"));
    JsonObject body = server.delete("/lun?iqn=x").bodyAsJsonObject();
    assertEquals(new JsonArray(List.of("iqn.a", "iqn.b")), body.getJsonArray("initiators"));
    assertEquals(2, body.getInteger("count"));
    assertTrue(body.getBoolean("sure"));
    assertEquals("/img/\"x\".img", body.getString("backing"));
  }

  @Test
  void hidesWhatNobodyExpected() {
    server.query =
        query -> {
          throw new IllegalStateException("secret internals at io.incudal");
        };
    HttpResponse<Buffer> answer = server.get("/lun");
    assertProblem(answer, ErrorCode.INTERNAL);
    assertFalse(answer.bodyAsString().contains("secret"));
    assertFalse(answer.bodyAsString().contains("io.incudal"));
  }

  @Test
  void hidesWhatBreaksInTheServerItself() {
    // A reply of the wrong type is a defect that only shows when it is used.
    server.query = query -> Future.succeededFuture(ApiServer.MASTERS);
    assertProblem(server.get("/lun"), ErrorCode.INTERNAL);
  }

  @ParameterizedTest
  @CsvSource({
    "PUT,/lun,'DELETE, GET, HEAD'",
    "POST,/lun,'DELETE, GET, HEAD'",
    "OPTIONS,/lun,'DELETE, GET, HEAD'",
    "PATCH,/lun/,'DELETE, GET, HEAD'",
    "GET,/lun/disk,POST",
    "HEAD,/lun/disk,POST",
    "DELETE,/lun/cd,POST",
    "GET,/lun/scan,POST",
    "POST,/healthz,'GET, HEAD'",
    "POST,/readyz,'GET, HEAD'",
    "POST,/capabilities,'GET, HEAD'",
    "DELETE,/masters,'GET, HEAD'",
    "DELETE,/logs,'GET, HEAD'",
    "PUT,/openapi.yaml,'GET, HEAD'",
    "TRACE,/lun,'DELETE, GET, HEAD'"
  })
  void saysWhichMethodsAPathKnows(HttpMethod method, String path, String allowed) {
    HttpResponse<Buffer> answer = server.request(method, path).send().await();
    assertEquals(405, answer.statusCode());
    assertEquals(allowed, answer.getHeader("Allow"));
    if (!method.equals(HttpMethod.HEAD)) {
      assertProblem(answer, ErrorCode.METHOD_NOT_ALLOWED);
    }
  }

  @ParameterizedTest
  @CsvSource({"/", "/lun/disk/x", "/luna", "/LUN", "/lun%2Fdisk", "/docs", "/openapi.json"})
  void doesNotKnowOtherPaths(String path) {
    HttpResponse<Buffer> answer = server.get(path);
    assertProblem(answer, ErrorCode.NOT_FOUND);
    assertFalse(answer.bodyAsString().contains(path + "\""), "echoes the path");
  }

  @ParameterizedTest
  @CsvSource({"/%zz", "/logs?since=%zz", "/logs?%", "/lun/%"})
  void refusesBrokenEscapes(String target) throws IOException {
    var answer =
        RawHttp.ask(
            server.port(),
            "GET " + target + " HTTP/1.1",
            "Host: x",
            "Authorization: Bearer " + ApiServer.TOKEN);
    assertEquals(400, answer.status());
    assertTrue(answer.body().contains("\"code\":\"malformed_request\""), answer.body());
  }

  @Test
  void answersHeadLikeGetButWithoutTheBody() {
    for (String path : List.of("/lun", "/masters", "/capabilities", "/logs", "/healthz")) {
      HttpResponse<Buffer> get = server.get(path);
      HttpResponse<Buffer> head = server.request(HttpMethod.HEAD, path).send().await();
      assertEquals(200, head.statusCode(), path);
      assertEquals(get.getHeader("Content-Length"), head.getHeader("Content-Length"), path);
      assertEquals(get.getHeader("Content-Type"), head.getHeader("Content-Type"), path);
      assertNull(head.body(), path);
    }
  }

  private static void assertProblem(HttpResponse<Buffer> answer, ErrorCode code) {
    assertEquals(code.status(), answer.statusCode());
    assertEquals("application/problem+json", answer.getHeader("Content-Type"));
    JsonObject body = answer.bodyAsJsonObject();
    assertEquals(Set.of("detail", "code", "status", "title"), body.fieldNames());
    assertEquals(code.word(), body.getString("code"));
    assertEquals(code.status(), body.getInteger("status"));
    assertEquals(code.title(), body.getString("title"));
    assertFalse(body.getString("detail").isBlank());
  }
}
