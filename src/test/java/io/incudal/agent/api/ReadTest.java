package io.incudal.agent.api;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.incudal.agent.audit.AuditMessages.Page;
import io.incudal.agent.audit.AuditMessages.ReadPage;
import io.incudal.agent.bus.ErrorCode;
import io.incudal.agent.image.ImageMessages.Master;
import io.incudal.agent.image.ImageMessages.MasterList;
import io.incudal.agent.lun.LunMessages.BackendView;
import io.incudal.agent.lun.LunMessages.DescribeBackend;
import io.incudal.agent.lun.LunMessages.LunView;
import io.incudal.agent.lun.LunMessages.TargetList;
import io.incudal.agent.lun.LunMessages.TargetView;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import io.vertx.ext.web.client.HttpResponse;
import io.vertx.junit5.VertxExtension;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

@ExtendWith(VertxExtension.class)
class ReadTest {
  private static ApiServer server;

  @BeforeAll
  static void start(Vertx vertx) {
    server = ApiServer.start(vertx);
  }

  @BeforeEach
  void reset() {
    server.reset();
  }

  @Test
  void saysThatItLivesInExactlyThoseBytes() {
    HttpResponse<Buffer> answer = server.anonymous(HttpMethod.GET, "/healthz").send().await();
    assertEquals(200, answer.statusCode());
    assertEquals("{\"status\":\"ok\"}", answer.bodyAsString());
    assertEquals("application/json", answer.getHeader("Content-Type"));
    assertEquals(List.of(), server.asked);
  }

  @Test
  void isReadyWhenTheBackEndAnswersAndTheScanIsDone() {
    assertEquals(
        "{\"status\":\"ready\"}",
        server.anonymous(HttpMethod.GET, "/readyz").send().await().bodyAsString());
  }

  @ParameterizedTest
  @CsvSource({"false,false", "false,true", "true,false"})
  void isNotReadyBeforeThatAndTellsOnlyTheTrustedWhy(boolean ready, boolean scanned) {
    server.query =
        ask ->
            ApiServer.good(
                new BackendView(
                    ready, scanned, OptionalInt.empty(), Optional.of("start the container")));
    HttpResponse<Buffer> stranger = server.anonymous(HttpMethod.GET, "/readyz").send().await();
    assertEquals(503, stranger.statusCode());
    assertEquals("5", stranger.getHeader("Retry-After"));
    assertEquals("not_ready", stranger.bodyAsJsonObject().getString("code"));
    assertEquals("the agent is not ready", stranger.bodyAsJsonObject().getString("detail"));
    String detail = server.get("/readyz").bodyAsJsonObject().getString("detail");
    assertEquals(ready ? "the targets are being restored" : "start the container", detail);
  }

  /** Field case B70. */
  @Test
  void staysHealthyButListsNothingWhileTheBackEndIsDown() {
    server.query = ask -> ApiServer.bad(ErrorCode.CONTAINER_UNAVAILABLE, "start the container");
    assertEquals(200, server.get("/healthz").statusCode());
    HttpResponse<Buffer> listing = server.get("/lun");
    assertEquals(503, listing.statusCode());
    assertEquals("container_unavailable", listing.bodyAsJsonObject().getString("code"));
  }

  @Test
  void listsTargetsOfStgt() {
    assertEquals(
        "[{\"tid\":1,\"iqn\":\"iqn.2026-07.com.controller:worker-02.ubuntu\",\"luns\":["
            + "{\"lun\":0,\"backing\":null},"
            + "{\"lun\":1,\"backing\":\"/home/iscsi_img/worker-02.ubuntu.img\"}]}]",
        server.get("/lun").bodyAsString());
  }

  @Test
  void listsTargetsOfLioWithoutATid() {
    server.query =
        ask ->
            ApiServer.good(
                new TargetList(
                    List.of(
                        new TargetView(
                            OptionalInt.empty(),
                            "iqn.x",
                            List.of(new LunView(0, Optional.of("/i/x.img")))))));
    assertEquals(
        "[{\"iqn\":\"iqn.x\",\"luns\":[{\"lun\":0,\"backing\":\"/i/x.img\"}]}]",
        server.get("/lun").bodyAsString());
  }

  @Test
  void listsTwoThousandTargetsWhole() {
    TargetList many =
        new TargetList(
            IntStream.range(0, 2000)
                .mapToObj(i -> new TargetView(OptionalInt.of(i), "iqn.x:" + i, List.of()))
                .toList());
    server.query = ask -> ApiServer.good(many);
    List<Future<HttpResponse<Buffer>>> answers = new ArrayList<>();
    for (int i = 0; i < 16; i++) {
      answers.add(server.request(HttpMethod.GET, "/lun").send());
    }
    for (Future<HttpResponse<Buffer>> answer : answers) {
      JsonArray listing = answer.await().bodyAsJsonArray();
      assertEquals(2000, listing.size());
      assertEquals("iqn.x:1999", listing.getJsonObject(1999).getString("iqn"));
    }
  }

  @Test
  void asksForEveryListingAnew() {
    server.get("/lun");
    server.query = ask -> ApiServer.good(new TargetList(List.of()));
    assertEquals("[]", server.get("/lun").bodyAsString());
    assertEquals(2, server.asked.size());
  }

  @Test
  void describesTheAgent() {
    assertEquals(
        new JsonObject()
            .put("backend", "stgt")
            .put("cd", true)
            .put("persistent", "auto-scan on startup")
            .put("base_iqn", ApiServer.BASE)
            .put("fs_type", "ext4")
            .put("clone", "full copy only (reflink unsupported on ext4)")
            .put("empty_disk", "truncate (sparse)")
            .put("version", "v0.1.0")
            .put(
                "features",
                new JsonArray()
                    .add("force")
                    .add("openapi")
                    .add("problem_json")
                    .add("readyz")
                    .add("request_id")
                    .add("scan_failed")),
        server.get("/capabilities").bodyAsJsonObject());
  }

  @Test
  void listsMasters() {
    assertEquals(
        "{\"masters\":[{\"name\":\"_tpl_debian_12.img\",\"size\":5368709120,"
            + "\"mtime\":1785552000}]}",
        server.get("/masters").bodyAsString());
    server.masters = ask -> ApiServer.good(new MasterList(List.of()));
    assertEquals("{\"masters\":[]}", server.get("/masters").bodyAsString());
  }

  @Test
  void asksForMastersOnceForAllWhoWait() {
    var first = Promise.<MasterList>promise();
    server.masters = ask -> first.future();
    List<Future<HttpResponse<Buffer>>> answers = new ArrayList<>();
    for (int i = 0; i < 64; i++) {
      answers.add(
          server.request(HttpMethod.GET, "/masters").putHeader("X-Request-Id", "id-" + i).send());
    }
    // Whoever is still under way when the answer comes asks a second time, but not all of them.
    ApiServer.await(() -> !server.asked.isEmpty());
    server.get("/lun");
    first.complete(new MasterList(List.of(new Master("_tpl_x", 1, 2))));
    for (int i = 0; i < 64; i++) {
      HttpResponse<Buffer> answer = answers.get(i).await();
      assertEquals(
          "{\"masters\":[{\"name\":\"_tpl_x\",\"size\":1,\"mtime\":2}]}", answer.bodyAsString());
      assertEquals("id-" + i, answer.getHeader("X-Request-Id"));
    }
    assertTrue(server.asked.size() < 10, "asked " + server.asked.size() + " times");
  }

  @Test
  void failsForAllWhoWaitForMasters() {
    server.masters = ask -> ApiServer.bad(ErrorCode.IO_ERROR, "look at the directory");
    assertEquals(500, server.get("/masters").statusCode());
    server.masters = ask -> ApiServer.good(ApiServer.MASTERS);
    assertEquals(200, server.get("/masters").statusCode());
  }

  @ParameterizedTest
  @CsvSource({
    "/logs,0,1000",
    "/logs?since=12,12,1000",
    "/logs?since=12&limit=7,12,7",
    "/logs?limit=10000,0,10000",
    "/logs?limit=10001,0,10000",
    "/logs?limit=1000000000,0,10000",
    "/logs?limit=99999999999999999999999,0,10000",
    "/logs?since=0012,12,1000",
    "/logs?since=9223372036854775807,9223372036854775807,1000",
    "/logs?other=1&since=3,3,1000"
  })
  void readsTheLogFromACursor(String uri, long since, int limit) {
    HttpResponse<Buffer> answer = server.get(uri);
    assertEquals(200, answer.statusCode());
    assertEquals("{\"next_cursor\":" + since + ",\"entries\":[]}", answer.bodyAsString());
    assertEquals(new ReadPage(since, limit), server.onlyAsked(ReadPage.class));
  }

  /** Field case B77: an empty cursor is a mistake, and not "from the start". */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "since=",
        "since",
        "since=abc",
        "since=-1",
        "since=+1",
        "since=%2B1",
        "since=1.0",
        "since=1e3",
        "since=%201",
        "since=1%20",
        "since=\u0663",
        "since=0x1",
        "since=1&since=2",
        "limit=",
        "limit=0",
        "limit=-5",
        "limit=1e9",
        "limit=abc",
        "limit=5&limit=5"
      })
  void refusesWhatIsNoCursorAndNoLimit(String query) {
    HttpResponse<Buffer> answer = server.get("/logs?" + query);
    assertEquals(400, answer.statusCode());
    assertEquals("invalid_parameter", answer.bodyAsJsonObject().getString("code"));
    assertEquals(List.of(), server.asked);
  }

  @Test
  void sendsALargePageWhole() {
    Buffer entries = Buffer.buffer("[\"" + "x".repeat(7_000_000) + "\"]");
    server.pages = ask -> ApiServer.good(new Page(12, entries));
    HttpResponse<Buffer> answer = server.get("/logs");
    assertEquals("7000033", answer.getHeader("Content-Length"));
    assertEquals(
        7_000_000, answer.bodyAsJsonObject().getJsonArray("entries").getString(0).length());
    assertEquals(12, answer.bodyAsJsonObject().getInteger("next_cursor"));
  }

  @Test
  void servesItsContract() {
    HttpResponse<Buffer> answer = server.get("/openapi.yaml");
    assertEquals("application/yaml", answer.getHeader("Content-Type"));
    String expected = server.vertx.fileSystem().readFile("openapi.yaml").await().toString();
    assertEquals(expected, answer.bodyAsString());
    assertFalse(expected.isBlank());
  }

  @Test
  void asksTheBackEndForReadinessWithoutAToken() {
    server.anonymous(HttpMethod.GET, "/readyz").send().await();
    server.onlyAsked(DescribeBackend.class);
  }
}
