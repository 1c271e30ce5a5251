package io.incudal.agent.api;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.incudal.agent.audit.AuditMessages.Page;
import io.incudal.agent.bus.AgentException;
import io.incudal.agent.bus.AgentMessage;
import io.incudal.agent.bus.ErrorCode;
import io.incudal.agent.lun.LunMessages.BackendView;
import io.incudal.agent.lun.LunMessages.Scanned;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.json.JsonObject;
import io.vertx.ext.web.client.HttpResponse;
import io.vertx.junit5.VertxExtension;
import io.vertx.openapi.contract.Operation;
import io.vertx.openapi.validation.ResponseValidator;
import io.vertx.openapi.validation.ValidatableResponse;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

/** What the server really sends is what its contract document promises. */
@ExtendWith(VertxExtension.class)
class ConformanceTest {
  private static final String DISK = "{\"iqn\":\"iqn.x:a\",\"size\":\"1G\"}";
  private static ApiServer server;
  private static Contract contract;
  private static ResponseValidator validator;

  @BeforeAll
  static void start(Vertx vertx) {
    server = ApiServer.start(vertx);
    contract = Contract.load(vertx).await();
    validator = ResponseValidator.create(vertx, contract.openApi());
  }

  @BeforeEach
  void reset() {
    server.reset();
  }

  @ParameterizedTest
  @CsvSource({
    "healthz,GET,/healthz",
    "readyz,GET,/readyz",
    "createDisk,POST,/lun/disk",
    "mountCd,POST,/lun/cd",
    "scan,POST,/lun/scan",
    "deleteTarget,DELETE,/lun?iqn=iqn.x:a",
    "listTargets,GET,/lun",
    "capabilities,GET,/capabilities",
    "masters,GET,/masters",
    "logs,GET,/logs"
  })
  void sendsGoodAnswersAsPromised(String operation, HttpMethod method, String uri) {
    HttpResponse<Buffer> answer =
        method.equals(HttpMethod.POST)
            ? server.post(uri, DISK)
            : server.request(method, uri).send().await();
    assertEquals(200, answer.statusCode());
    assertConforms(operation, answer);
  }

  @Test
  void sendsAScanWithEverythingInItAsPromised() {
    server.lun =
        command ->
            ApiServer.good(
                new Scanned(
                    List.of(new Scanned.Created("iqn.x:a", true)),
                    List.of("iqn.x:b"),
                    List.of(new Scanned.Failed("a b.img", "its name makes no valid iqn"))));
    HttpResponse<Buffer> answer = server.post("/lun/scan", "");
    assertConforms("scan", answer);
    assertEquals(
        "{\"created\":[{\"iqn\":\"iqn.x:a\",\"cd\":true}],\"skipped\":[\"iqn.x:b\"],"
            + "\"failed\":[{\"file\":\"a b.img\",\"detail\":\"its name makes no valid iqn\"}]}",
        answer.bodyAsString());
  }

  @Test
  void sendsNoFailedMemberWhenNothingFailed() {
    assertEquals("{\"created\":[],\"skipped\":[]}", server.post("/lun/scan", "").bodyAsString());
  }

  @Test
  void sendsLogEntriesAsPromised() {
    server.pages =
        ask ->
            ApiServer.good(
                new Page(
                    12,
                    Buffer.buffer(
                        "[{\"id\":12,\"ts\":\"2026-07-27T12:00:00.123456+00:00\",\"op\":\"delete\","
                            + "\"req\":{\"iqn\":\"x\",\"delete_file\":false,\"force\":false},"
                            + "\"result\":\"failed\",\"error\":\"iqn base mismatch\","
                            + "\"client\":\"127.0.0.1\"}]")));
    assertConforms("logs", server.get("/logs?since=11"));
  }

  @Test
  void saysThatItIsNotReadyAsPromised() {
    server.query =
        ask -> ApiServer.good(new BackendView(false, false, OptionalInt.empty(), Optional.empty()));
    assertConforms("readyz", server.get("/readyz"));
  }

  /** Every failure that the document lists for an operation. */
  static Stream<String[]> promised() {
    return Stream.of(
            "createDisk POST /lun/disk",
            "mountCd POST /lun/cd",
            "scan POST /lun/scan",
            "deleteTarget DELETE /lun?iqn=x",
            "listTargets GET /lun",
            "capabilities GET /capabilities",
            "masters GET /masters",
            "logs GET /logs",
            "metrics GET /metrics")
        .map(line -> line.split(" "));
  }

  @ParameterizedTest
  @MethodSource("promised")
  void sendsEveryFailureAsPromised(String operation, String method, String uri) {
    for (ErrorCode code : codes(contract.openApi().operation(operation))) {
      Future<AgentMessage> failure =
          Future.failedFuture(
              new AgentException(code, "what can be done").with("expected_prefix", "iqn.x:"));
      server.lun = ask -> failure;
      server.query = ask -> failure;
      server.masters = ask -> failure;
      server.pages = ask -> failure;
      server.metrics = ask -> failure;
      HttpResponse<Buffer> answer =
          method.equals("POST")
              ? server.post(uri, DISK)
              : server.request(HttpMethod.valueOf(method), uri).send().await();
      assertEquals(code.status(), answer.statusCode(), operation);
      assertEquals(code.word(), answer.bodyAsJsonObject().getString("code"));
      assertConforms(operation, answer);
    }
  }

  private static List<ErrorCode> codes(Operation operation) {
    return Stream.of(ErrorCode.values())
        .filter(code -> operation.getResponse(code.status()) != null)
        .filter(code -> listed(operation, code))
        .toList();
  }

  /** Whether the answer's own schema, and not only that of problems at large, has the code. */
  private static boolean listed(Operation operation, ErrorCode code) {
    return operation.getResponse(code.status()).getContent().values().stream()
        .flatMap(
            type -> type.getOpenAPIModel().getJsonObject("schema").getJsonArray("allOf").stream())
        .map(JsonObject.class::cast)
        .filter(part -> !part.containsKey("type"))
        .anyMatch(part -> part.encode().contains("\"" + code.word() + "\""));
  }

  private static void assertConforms(String operation, HttpResponse<Buffer> answer) {
    Map<String, String> headers = new HashMap<>();
    answer.headers().forEach(headers::put);
    String type = Contract.standIn(answer.getHeader("Content-Type").split(";")[0]);
    validator
        .validate(
            ValidatableResponse.create(answer.statusCode(), headers, answer.body(), type),
            operation)
        .await();
  }
}
