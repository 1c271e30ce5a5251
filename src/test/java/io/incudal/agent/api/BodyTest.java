package io.incudal.agent.api;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.incudal.agent.lun.LunMessages.CreateDisk;
import io.incudal.agent.lun.LunMessages.MountCd;
import io.incudal.agent.lun.LunMessages.Scan;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpMethod;
import io.vertx.ext.web.client.HttpResponse;
import io.vertx.junit5.VertxExtension;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Field case B60: bodies of every wrong kind, and what is taken out of the right ones. */
@ExtendWith(VertxExtension.class)
class BodyTest {
  private static final String AUTH = "Authorization: Bearer " + ApiServer.TOKEN;
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
  void takesTheKnownMembersInTheContractsOrderAndNoOthers() {
    server.post("/lun/disk", "{\"x\":1,\"size\":\"1G\",\"iqn\":\"A\",\"master\":\"\",\"y\":{}}");
    var members = server.onlyAsked(CreateDisk.class).sent().members();
    assertEquals(List.of("iqn", "master", "size", "filename"), List.copyOf(members.keySet()));
    assertEquals("A", members.get("iqn"));
    assertEquals("", members.get("master"));
    assertEquals("1G", members.get("size"));
    assertNull(members.get("filename"));
  }

  @Test
  void takesTheMembersOfACdInTheContractsOrder() {
    server.post("/lun/cd", "{\"iqn\":null,\"iso\":\"a.iso\"}");
    var members = server.onlyAsked(MountCd.class).sent().members();
    assertEquals(List.of("iso", "iqn"), List.copyOf(members.keySet()));
    assertEquals("a.iso", members.get("iso"));
  }

  @Test
  void leavesWrongTypesToTheRoomThatAuditsThem() {
    server.post("/lun/disk", "{\"iqn\":5,\"size\":[1],\"master\":{\"a\":true},\"filename\":false}");
    var members = server.onlyAsked(CreateDisk.class).sent().members();
    assertEquals(5, members.get("iqn"));
    assertEquals(List.of(1), members.get("size"));
    assertEquals(Map.of("a", true), members.get("master"));
    assertEquals(false, members.get("filename"));
  }

  @Test
  void namesThePeerAsTheClientWhateverTheHeadersClaim() {
    server
        .request(HttpMethod.POST, "/lun/scan")
        .putHeader("X-Forwarded-For", "203.0.113.9")
        .putHeader("Forwarded", "for=203.0.113.9")
        .send()
        .await();
    var scan = server.onlyAsked(Scan.class);
    assertEquals("127.0.0.1", scan.caller().client());
    assertTrue(scan.caller().principal().isEmpty());
    assertFalse(scan.automatic());
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "null",
        "[]",
        "{\"a\":1},{\"b\":2}",
        "{\"a\":1}{\"b\":2}",
        "iqn=x&size=1G",
        "text",
        "{\"iqn\":\"a\",\"iqn\":\"b\"}"
      })
  void refusesWhatIsNotOneJsonObject(String body) {
    for (String path : List.of("/lun/disk", "/lun/cd")) {
      HttpResponse<Buffer> answer = server.post(path, body);
      assertEquals(400, answer.statusCode());
      assertEquals("invalid_body", answer.bodyAsJsonObject().getString("code"));
    }
    assertEquals(List.of(), server.asked);
  }

  @ParameterizedTest
  @ValueSource(strings = {"application/x-www-form-urlencoded", "multipart/form-data; boundary=b"})
  void refusesForms(String type) {
    String form = "--b\r\nContent-Disposition: form-data; name=\"iqn\"\r\n\r\nx\r\n--b--\r\n";
    assertEquals(400, post(type, type.startsWith("m") ? form : "iqn=x").statusCode());
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "application/json",
        "application/json; charset=utf-8",
        "text/plain",
        "application/x-www-form-urlencoded",
        "multipart/form-data",
        "nonsense"
      })
  void takesJsonUnderWhateverTypeItIsSent(String type) {
    assertEquals(200, post(type, "{\"iqn\":\"a\"}").statusCode());
  }

  @Test
  void refusesAnEncodedBody() {
    HttpResponse<Buffer> answer =
        server
            .request(HttpMethod.POST, "/lun/disk")
            .putHeader("Content-Encoding", "gzip")
            .sendBuffer(Buffer.buffer(new byte[] {31, (byte) 139, 8}))
            .await();
    assertEquals(415, answer.statusCode());
  }

  @Test
  void takesABodyOf64KiBButNoLargerOne() {
    String start = "{\"iqn\":\"a\",\"pad\":\"";
    String largest = start + "x".repeat(64 * 1024 - start.length() - 2) + "\"}";
    assertEquals(200, server.post("/lun/disk", largest).statusCode());
    HttpResponse<Buffer> answer = server.post("/lun/disk", largest + " ");
    assertEquals(413, answer.statusCode());
    assertEquals("body_too_large", answer.bodyAsJsonObject().getString("code"));
    assertEquals(1, server.asked.size());
  }

  @ParameterizedTest
  @ValueSource(strings = {"/lun/disk", "/lun/cd", "/lun/scan"})
  void answersAClientThatSendsTwentyMegabytes(String path) throws IOException {
    try (var http = new RawHttp(server.port())) {
      http.send("POST " + path + " HTTP/1.1\r\nHost: x\r\n" + AUTH);
      http.send("\r\nContent-Length: 20000000\r\n\r\n");
      byte[] megabyte = new byte[1_000_000];
      for (int i = 0; i < 20; i++) {
        http.send(megabyte);
      }
      var answer = http.answer();
      assertEquals(413, answer.status());
      assertEquals("close", answer.header("Connection"));
      assertTrue(http.isClosed());
    }
    assertEquals(List.of(), server.asked);
  }

  @Test
  void answersAClientThatSendsTwentyMegabytesInChunks() throws IOException {
    try (var http = new RawHttp(server.port())) {
      http.send("POST /lun/disk HTTP/1.1\r\nHost: x\r\n" + AUTH);
      http.send("\r\nTransfer-Encoding: chunked\r\n\r\n");
      String chunk = "f4240\r\n" + "x".repeat(1_000_000) + "\r\n";
      for (int i = 0; i < 20; i++) {
        http.send(chunk);
      }
      assertEquals(413, http.answer().status());
      http.send("0\r\n\r\n");
      assertTrue(http.isClosed());
    }
  }

  @Test
  void refusesALargeBodyBeforeItIsSentWhenTheClientAsks() throws IOException {
    var answer =
        RawHttp.ask(
            server.port(),
            "POST /lun/disk HTTP/1.1",
            "Host: x",
            AUTH,
            "Content-Length: 20000000",
            "Expect: 100-continue");
    assertEquals(413, answer.status());
  }

  @Test
  void letsAClientGoOnThatAsksFirst() throws IOException {
    try (var http = new RawHttp(server.port())) {
      http.send("POST /lun/disk HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\n" + AUTH);
      http.send("\r\nContent-Length: 11\r\n\r\n");
      assertEquals(100, http.answer().status());
      http.send("{\"iqn\":\"a\"}");
      assertEquals(200, http.answer().status());
    }
  }

  @ParameterizedTest
  @CsvSource({"POST,/lun/disk,401", "PUT,/lun,401", "POST,/no/such/path,401"})
  void doesNotReadALargeBodyForNothing(String method, String path, int status) throws IOException {
    try (var http = new RawHttp(server.port())) {
      http.send(method + " " + path + " HTTP/1.1\r\nHost: x\r\nContent-Length: 9000000\r\n\r\n");
      assertEquals(status, http.answer().status());
      http.send(new byte[9_000_000]);
      assertTrue(http.isClosed());
    }
  }

  @Test
  void keepsAConnectionAfterASmallBodyThatWasRefused() throws IOException {
    try (var http = new RawHttp(server.port())) {
      for (int i = 0; i < 3; i++) {
        http.send("POST /lun/disk HTTP/1.1\r\nHost: x\r\n" + AUTH);
        http.send("\r\nContent-Length: 4\r\n\r\nnull");
        assertEquals(400, http.answer().status());
      }
    }
  }

  @Test
  void readsABodyThatComesInChunks() throws IOException {
    try (var http = new RawHttp(server.port())) {
      http.send("POST /lun/disk HTTP/1.1\r\nHost: x\r\n" + AUTH);
      http.send("\r\nTransfer-Encoding: chunked\r\n\r\n6\r\n{\"iqn\"\r\n");
      http.send("5\r\n:\"a\"}\r\n0\r\n\r\n");
      assertEquals(200, http.answer().status());
    }
  }

  @Test
  void ignoresTheBodyOfAScan() {
    assertEquals(200, server.post("/lun/scan", "anything").statusCode());
  }

  private static HttpResponse<Buffer> post(String type, String body) {
    return server
        .request(HttpMethod.POST, "/lun/disk")
        .putHeader("Content-Type", type)
        .sendBuffer(Buffer.buffer(body))
        .await();
  }
}
