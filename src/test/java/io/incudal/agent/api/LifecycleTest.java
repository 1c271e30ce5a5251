package io.incudal.agent.api;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.incudal.agent.audit.AuditMessages.Page;
import io.incudal.agent.lun.LunMessages.Exported;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpMethod;
import io.vertx.ext.web.client.HttpResponse;
import io.vertx.junit5.VertxExtension;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Stopping, too much at once, clients that hang up, and peers that are slow. */
@ExtendWith(VertxExtension.class)
class LifecycleTest {
  private static final String AUTH = "Authorization: Bearer " + ApiServer.TOKEN;
  private static final String BODY = "\r\nContent-Length: 2\r\n\r\n{}";
  private static final Exported DONE = new Exported(ApiServer.BASE + ":a", "/img/a.img");

  @Test
  void finishesWhatIsInFlightAndRefusesTheRestWhenItStops(Vertx vertx) {
    var server = ApiServer.start(vertx);
    var work = Promise.<Exported>promise();
    server.lun = command -> work.future();
    var running = disk(server);
    ApiServer.await(() -> server.asked.size() == 1);

    Future<Void> stopped = server.stop();
    HttpResponse<Buffer> late = untilRefused(server);
    assertEquals("stopping", late.bodyAsJsonObject().getString("code"));
    assertEquals("5", late.getHeader("Retry-After"));
    assertEquals(200, server.anonymous(HttpMethod.GET, "/healthz").send().await().statusCode());
    assertEquals(503, server.anonymous(HttpMethod.GET, "/readyz").send().await().statusCode());
    assertEquals(401, server.anonymous(HttpMethod.GET, "/lun").send().await().statusCode());
    assertFalse(stopped.isComplete());

    work.complete(DONE);
    assertEquals(200, running.await().statusCode());
    stopped.await();
    assertThrows(IOException.class, () -> new RawHttp(server.port()).close());
  }

  @Test
  void saysWhichSettingNamesAPortThatIsTaken(Vertx vertx) throws IOException {
    try (var taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      int port = taken.getLocalPort();
      var failure = assertThrows(IOException.class, () -> ApiServer.startOn(vertx, port));
      assertEquals(
          "cannot listen on 127.0.0.1:" + port + " (IPXE_AGENT_HOST, IPXE_AGENT_PORT)",
          failure.getMessage());
    }
  }

  @Test
  void stopsAtOnceWhenNothingIsInFlight(Vertx vertx) {
    var server = ApiServer.start(vertx);
    server.get("/lun");
    long start = System.nanoTime();
    server.stop().await();
    assertTrue(Duration.ofNanos(System.nanoTime() - start).toSeconds() < 2);
  }

  @Test
  void stopsAlthoughWorkDoesNotEndOnceItsTimeIsOver(Vertx vertx) {
    var server = ApiServer.startHasty(vertx);
    server.lun = command -> Promise.<Exported>promise().future();
    var running = disk(server);
    ApiServer.await(() -> server.asked.size() == 1);
    server.stop().await();
    assertThrows(Exception.class, running::await);
  }

  @Test
  void waitsForTheWorkOfAClientThatHungUpWhenItStops(Vertx vertx) throws IOException {
    var server = ApiServer.start(vertx);
    var work = Promise.<Exported>promise();
    server.lun = command -> work.future();
    try (var http = new RawHttp(server.port())) {
      http.send("POST /lun/disk HTTP/1.1\r\nHost: x\r\n" + AUTH + BODY);
      ApiServer.await(() -> server.asked.size() == 1);
    }
    Future<Void> stopped = server.stop();
    untilRefused(server);
    assertFalse(stopped.isComplete());
    work.complete(DONE);
    stopped.await();
  }

  @Test
  void neitherStopsNorDoublesTheOperationOfAClientThatHangsUp(Vertx vertx) throws IOException {
    var server = ApiServer.start(vertx);
    List<Promise<Exported>> works = new ArrayList<>();
    server.lun =
        command -> {
          var work = Promise.<Exported>promise();
          works.add(work);
          return work.future();
        };
    for (int i = 0; i < 5; i++) {
      try (var http = new RawHttp(server.port())) {
        http.send("POST /lun/disk HTTP/1.1\r\nHost: x\r\n" + AUTH + BODY);
        int count = i + 1;
        ApiServer.await(() -> server.asked.size() == count);
      }
    }
    works.forEach(work -> assertTrue(work.tryComplete(DONE)));
    assertEquals(200, server.get("/lun").statusCode());
    assertEquals(5, works.size());
  }

  @Test
  void refusesMoreThanItCanHoldAndRecovers(Vertx vertx) {
    var server = ApiServer.start(vertx);
    var work = Promise.<Exported>promise();
    server.lun = command -> work.future();
    // As many as the queue holds, and 256 reads beside them.
    int max = 16 + 256;
    List<Future<HttpResponse<Buffer>>> held = new ArrayList<>();
    for (int i = 0; i < max; i++) {
      held.add(disk(server));
    }
    ApiServer.await(() -> server.asked.size() == max);
    HttpResponse<Buffer> refused = server.get("/lun");
    assertEquals(503, refused.statusCode());
    assertEquals("overloaded", refused.bodyAsJsonObject().getString("code"));
    assertEquals("1", refused.getHeader("Retry-After"));
    assertEquals(200, server.get("/healthz").statusCode());
    assertEquals(200, server.get("/readyz").statusCode());

    work.complete(DONE);
    held.forEach(answer -> assertEquals(200, answer.await().statusCode()));
    assertEquals(200, server.get("/lun").statusCode());
  }

  @Test
  void servesSixtyFourCallersAtOnce(Vertx vertx) {
    var server = ApiServer.start(vertx);
    List<Future<HttpResponse<Buffer>>> answers = new ArrayList<>();
    for (int i = 0; i < 64; i++) {
      answers.add(disk(server));
      answers.add(server.request(HttpMethod.GET, "/lun").send());
      answers.add(server.request(HttpMethod.GET, "/logs").send());
    }
    answers.forEach(answer -> assertEquals(200, answer.await().statusCode()));
    assertEquals(192, server.asked.size());
  }

  /** Field case B66: no clock runs while the agent works, however short peers are held. */
  @Test
  void waitsForWorkLongerThanForAnyPeer(Vertx vertx) throws Exception {
    var server = ApiServer.start(vertx, impatient(64));
    var work = Promise.<Exported>promise();
    server.lun = command -> work.future();
    var answer = disk(server);
    ApiServer.await(() -> server.asked.size() == 1);
    vertx.timer(500, TimeUnit.MILLISECONDS).await();
    work.complete(DONE);
    assertEquals(200, answer.await().statusCode());
    assertTrue(BusWaits.WRITE.toHours() > 48);
  }

  @Test
  void closesAConnectionThatNeverAsks(Vertx vertx) throws IOException {
    var server = ApiServer.start(vertx, impatient(64));
    try (var http = new RawHttp(server.port())) {
      assertTrue(http.isClosed());
    }
  }

  @Test
  void closesAConnectionWhoseHeadersDribble(Vertx vertx) throws IOException {
    var server = ApiServer.start(vertx, impatient(64));
    try (var http = new RawHttp(server.port())) {
      http.send("GET /lun HTTP/1.1\r\nHost: x\r\nX: ");
      assertTrue(http.isClosed());
    }
  }

  @Test
  void closesAConnectionWhoseBodyDribbles(Vertx vertx) throws IOException {
    var server = ApiServer.start(vertx, impatient(64));
    try (var http = new RawHttp(server.port())) {
      http.send("POST /lun/disk HTTP/1.1\r\nHost: x\r\n" + AUTH);
      http.send("\r\nContent-Length: 100\r\n\r\n{\"iqn\"");
      assertTrue(http.isClosed());
    }
    assertEquals(List.of(), server.asked);
    assertEquals(200, server.get("/lun").statusCode());
  }

  @Test
  void closesAConnectionThatDoesNotReadItsAnswer(Vertx vertx) throws IOException {
    var server = ApiServer.start(vertx, impatient(64));
    Buffer entries = Buffer.buffer("[\"" + "x".repeat(30_000_000) + "\"]");
    server.pages = ask -> ApiServer.good(new Page(1, entries));
    try (var http = new RawHttp(server.port())) {
      http.send("GET /logs HTTP/1.1\r\nHost: x\r\n" + AUTH + "\r\n\r\n");
      ApiServer.await(() -> server.asked.size() == 1);
      vertx.timer(400, TimeUnit.MILLISECONDS).await();
      assertTrue(http.readAll() < 30_000_000);
    }
  }

  @Test
  void closesTheIdlestConnectionWhenThereAreTooMany(Vertx vertx) throws IOException {
    var server =
        ApiServer.start(vertx, new HttpLimits(2, Duration.ofMinutes(1), Duration.ofDays(1)));
    try (var idle = new RawHttp(server.port());
        var used = new RawHttp(server.port())) {
      used.send("GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n");
      assertEquals(200, used.answer().status());
      try (var late = new RawHttp(server.port())) {
        late.send("GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n");
        assertEquals(200, late.answer().status());
        assertTrue(idle.isClosed());
        used.send("GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n");
        assertEquals(200, used.answer().status());
      }
    }
  }

  @Test
  void answersRequestsThatComeOneAfterTheOtherWithoutWaiting(Vertx vertx) throws IOException {
    var server = ApiServer.start(vertx);
    try (var http = new RawHttp(server.port())) {
      String request = "GET /lun HTTP/1.1\r\nHost: x\r\n" + AUTH + "\r\nX-Request-Id: ";
      http.send(request + "1\r\n\r\n" + request + "2\r\n\r\n" + request + "3\r\n\r\n");
      for (String id : List.of("1", "2", "3")) {
        assertEquals(id, http.answer().header("X-Request-Id"));
      }
    }
  }

  private static HttpLimits impatient(int connections) {
    return new HttpLimits(connections, Duration.ofMillis(150), Duration.ofDays(1));
  }

  private static Future<HttpResponse<Buffer>> disk(ApiServer server) {
    return server
        .request(HttpMethod.POST, "/lun/disk")
        .sendBuffer(Buffer.buffer("{\"iqn\":\"a\"}"));
  }

  private static HttpResponse<Buffer> untilRefused(ApiServer server) {
    ApiServer.await(() -> server.get("/capabilities").statusCode() == 503);
    return server.get("/capabilities");
  }
}
