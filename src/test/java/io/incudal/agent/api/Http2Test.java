package io.incudal.agent.api;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.incudal.agent.audit.AuditMessages.Page;
import io.incudal.agent.lun.LunMessages.Exported;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.Http2Settings;
import io.vertx.core.http.HttpClient;
import io.vertx.core.http.HttpClientRequest;
import io.vertx.core.http.HttpClientResponse;
import io.vertx.core.http.HttpConnection;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpVersion;
import io.vertx.core.http.PoolOptions;
import io.vertx.core.http.RequestOptions;
import io.vertx.core.json.JsonObject;
import io.vertx.junit5.VertxExtension;
import java.net.URI;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import javax.net.ssl.SSLContext;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** The contract over HTTP/2, and streams that share one connection. */
@ExtendWith(VertxExtension.class)
class Http2Test {
  private static final Exported DONE = new Exported(ApiServer.BASE + ":a", "/img/a.img");
  private static final HttpLimits IMPATIENT =
      new HttpLimits(1024, Duration.ofMillis(300), Duration.ofDays(1));

  @TempDir private Path directory;
  private Vertx vertx;
  private ApiServer server;
  private HttpClient client;

  @BeforeEach
  void take(Vertx vertx) {
    this.vertx = vertx;
  }

  @Test
  void keepsTheContract() throws Exception {
    start();
    Answer list = ask(HttpMethod.GET, "/lun");
    assertEquals(200, list.status());
    assertEquals("application/json", list.header("content-type"));
    assertEquals("no-store", list.header("cache-control"));
    Answer head = ask(HttpMethod.HEAD, "/lun");
    assertEquals(list.header("content-length"), head.header("content-length"));
    assertEquals(0, head.body().length());
    assertEquals(200, ask(HttpMethod.GET, "/healthz").status());
    assertEquals(404, ask(HttpMethod.GET, "/no/such/path").status());
    Answer wrong = ask(HttpMethod.PUT, "/lun");
    assertEquals(405, wrong.status());
    assertEquals("DELETE, GET, HEAD", wrong.header("allow"));
    assertEquals("application/problem+json", wrong.header("content-type"));
    assertEquals("method_not_allowed", wrong.json().getString("code"));
  }

  @Test
  void tellsTheUnauthorizedNothingElse() throws Exception {
    start();
    Answer refused =
        request(HttpMethod.GET, "/no/such/path")
            .compose(request -> request.putHeader("authorization", "Bearer no").send())
            .compose(Answer::of)
            .await();
    assertEquals(401, refused.status());
    assertEquals("Bearer", refused.header("www-authenticate"));
    assertEquals("unauthorized", refused.json().getString("detail"));
  }

  @Test
  void handsTheRequestIdBack() throws Exception {
    start();
    Answer own =
        request(HttpMethod.GET, "/lun")
            .compose(request -> request.putHeader("x-request-id", "mine-1").send())
            .compose(Answer::of)
            .await();
    assertEquals("mine-1", own.header("x-request-id"));
    assertNotNull(ask(HttpMethod.GET, "/lun").header("x-request-id"));
  }

  @Test
  void readsBodiesThatComeInPieces() throws Exception {
    start();
    HttpClientRequest upload = upload();
    Future<Answer> answer = upload.response().compose(Answer::of);
    upload.write("{\"iqn\":").await();
    upload.write("\"a\"").await();
    upload.end("}").await();
    assertEquals(200, answer.await().status());
  }

  @Test
  void letsTheClientSendWhenItAsksFirst() throws Exception {
    start();
    HttpClientRequest upload = request(HttpMethod.POST, "/lun/disk").await();
    Promise<Void> told = Promise.promise();
    upload.putHeader("expect", "100-continue").continueHandler(go -> told.complete());
    Future<Answer> answer = upload.response().compose(Answer::of);
    upload.sendHead().await();
    told.future().await();
    upload.end("{\"iqn\":\"a\"}").await();
    assertEquals(200, answer.await().status());
  }

  @Test
  void refusesALargeBodyAndKeepsTheConnection() throws Exception {
    start();
    var work = Promise.<Exported>promise();
    server.lun = command -> work.future();
    Future<Answer> working = disk();
    ApiServer.await(() -> server.asked.size() == 1);

    HttpClientRequest declared = request(HttpMethod.POST, "/lun/disk").await();
    HttpConnection connection = declared.connection();
    declared.putHeader("content-length", "10000000");
    refuses(declared);
    // Without end, and without its length told.
    refuses(upload());

    work.complete(DONE);
    assertEquals(200, working.await().status());
    assertSame(connection, request(HttpMethod.GET, "/lun").await().connection());
  }

  private static void refuses(HttpClientRequest upload) {
    Future<HttpClientResponse> response = upload.response();
    var over = new AtomicBoolean();
    upload.exceptionHandler(reset -> over.set(true));
    pour(upload, over);
    Answer answer = response.compose(Answer::of).await();
    assertEquals(413, answer.status());
    assertNull(answer.header("connection"));
    ApiServer.await(over::get);
  }

  private static void pour(HttpClientRequest upload, AtomicBoolean over) {
    if (!over.get()) {
      upload
          .write(Buffer.buffer(new byte[8 * 1024]))
          .onSuccess(taken -> pour(upload, over))
          .onFailure(ended -> over.set(true));
    }
  }

  @Test
  void boundsStreamsAndHeaders() throws Exception {
    start();
    HttpConnection connection = request(HttpMethod.GET, "/lun").await().connection();
    assertEquals(100, connection.remoteSettings().getMaxConcurrentStreams());
    assertEquals(16 * 1024, connection.remoteSettings().getMaxHeaderListSize());
    // This client keeps to what it was told, another does not.
    var large =
        HttpRequest.newBuilder(URI.create("https://127.0.0.1:" + server.port() + "/lun"))
            .header("x-large", "x".repeat(18 * 1024));
    assertEquals(431, careless().send(large.build(), BodyHandlers.discarding()).statusCode());
  }

  @Test
  void servesManyStreamsAtOnce() throws Exception {
    start();
    List<Future<Answer>> answers = new ArrayList<>();
    for (int i = 0; i < 250; i++) {
      answers.add(i % 2 == 0 ? disk() : send(HttpMethod.GET, "/lun"));
    }
    answers.forEach(answer -> assertEquals(200, answer.await().status()));
    assertEquals(250, server.asked.size());
  }

  @Test
  void neitherStopsNorDoublesTheOperationOfAStreamThatIsCancelled() throws Exception {
    start();
    var work = Promise.<Exported>promise();
    server.lun = command -> work.future();
    HttpClientRequest cancelled = request(HttpMethod.POST, "/lun/disk").await();
    cancelled.end("{\"iqn\":\"a\"}").await();
    ApiServer.await(() -> server.asked.size() == 1);
    cancelled.reset(8).await();
    assertEquals(200, ask(HttpMethod.GET, "/lun").status());
    Future<Void> stopped = server.stop();
    assertFalse(stopped.isComplete());
    assertTrue(work.tryComplete(DONE));
    stopped.await();
    assertEquals(2, server.asked.size());
  }

  @Test
  void waitsForWorkLongerThanForAnyPeerWhateverOtherStreamsDo() throws Exception {
    start(IMPATIENT);
    var work = Promise.<Exported>promise();
    server.lun = command -> work.future();
    Future<Answer> working = disk();
    ApiServer.await(() -> server.asked.size() == 1);
    assertEquals(200, ask(HttpMethod.GET, "/healthz").status());
    vertx.timer(800, TimeUnit.MILLISECONDS).await();
    work.complete(DONE);
    assertEquals(200, working.await().status());
  }

  @Test
  void closesAConnectionThatHasNothingToDo() throws Exception {
    start(IMPATIENT);
    HttpClientRequest cancelled = upload();
    var closed = new AtomicBoolean();
    cancelled.connection().closeHandler(gone -> closed.set(true));
    cancelled.write("{").await();
    cancelled.reset(8).await();
    ApiServer.await(closed::get);
  }

  @Test
  void closesAConnectionWhoseBodyDribbles() throws Exception {
    start(IMPATIENT);
    HttpClientRequest upload = upload();
    upload.write("{").await();
    assertThrows(Exception.class, () -> upload.response().await());
    assertEquals(List.of(), server.asked);
  }

  @Test
  void servesOtherStreamsWhileOneIsNotRead() throws Exception {
    start(IMPATIENT);
    Buffer entries = Buffer.buffer("[\"" + "x".repeat(5_000_000) + "\"]");
    server.pages = ask -> ApiServer.good(new Page(1, entries));
    HttpClientResponse unread =
        request(HttpMethod.GET, "/logs")
            .compose(HttpClientRequest::send)
            .map(HttpClientResponse::pause)
            .await();
    var closed = new AtomicBoolean();
    unread.request().connection().closeHandler(gone -> closed.set(true));
    assertEquals(200, ask(HttpMethod.HEAD, "/lun").status());
    assertFalse(closed.get());
    ApiServer.await(closed::get);
  }

  @Test
  void finishesStreamsInFlightWhenItStops() throws Exception {
    start();
    var work = Promise.<Exported>promise();
    server.lun = command -> work.future();
    Future<Answer> running = disk();
    ApiServer.await(() -> server.asked.size() == 1);
    Future<Void> stopped = server.stop();
    ApiServer.await(() -> ask(HttpMethod.GET, "/lun").status() == 503);
    assertFalse(stopped.isComplete());
    work.complete(DONE);
    assertEquals(200, running.await().status());
    stopped.await();
    assertThrows(Exception.class, () -> ask(HttpMethod.GET, "/healthz"));
  }

  /** A peer that opens no window holds back every answer, at no cost of its own. */
  @Test
  void refusesNobodyForThoseWithoutATokenWhoReadNothing() throws Exception {
    start();
    var options = TlsFixture.client(HttpVersion.HTTP_2);
    options.setInitialSettings(new Http2Settings().setInitialWindowSize(0));
    var hostile = vertx.createHttpClient(options, new PoolOptions().setHttp2MaxSize(4));
    List<HttpClientRequest> held = new ArrayList<>();
    // More than may be in flight: as many as the queue holds, and 256 reads.
    for (int i = 0; i < 16 + 256 + 20; i++) {
      HttpClientRequest request = hostile.request(options(HttpMethod.GET, "/lun")).await();
      request.end().await();
      held.add(request);
    }
    held.forEach(request -> assertEquals(401, request.response().await().statusCode()));
    assertEquals(200, ask(HttpMethod.GET, "/lun").status());
  }

  @Test
  void closesAConnectionThatOpensAndCancelsStreamsWithoutEnd() throws Exception {
    start();
    HttpConnection connection = request(HttpMethod.GET, "/lun").await().connection();
    var closed = new AtomicBoolean();
    connection.closeHandler(gone -> closed.set(true));
    for (int i = 0; i < 400 && !closed.get(); i++) {
      request(HttpMethod.GET, "/lun")
          .compose(request -> request.end().compose(sent -> request.reset(8)))
          .otherwiseEmpty()
          .await();
    }
    ApiServer.await(closed::get);
    assertEquals(200, ask(HttpMethod.GET, "/lun").status());
  }

  private static java.net.http.HttpClient careless() throws Exception {
    var context = SSLContext.getInstance("TLS");
    context.init(null, TlsFixture.CA.toTrustManagerFactory().getTrustManagers(), null);
    return java.net.http.HttpClient.newBuilder().sslContext(context).build();
  }

  private void start() throws Exception {
    start(new HttpLimits(1024, Duration.ofSeconds(60), Duration.ofDays(1)));
  }

  private void start(HttpLimits limits) throws Exception {
    server = ApiServer.start(vertx, new TlsFixture(directory).files(), limits);
    client = vertx.createHttpClient(TlsFixture.client(HttpVersion.HTTP_2));
  }

  /** One whose length is not told. */
  private HttpClientRequest upload() {
    return request(HttpMethod.POST, "/lun/disk").await().setChunked(true);
  }

  private Future<Answer> disk() {
    return request(HttpMethod.POST, "/lun/disk")
        .compose(request -> request.send("{\"iqn\":\"a\"}"))
        .compose(Answer::of);
  }

  private Answer ask(HttpMethod method, String path) {
    return send(method, path).await();
  }

  private Future<Answer> send(HttpMethod method, String path) {
    return request(method, path).compose(HttpClientRequest::send).compose(Answer::of);
  }

  private Future<HttpClientRequest> request(HttpMethod method, String path) {
    return client
        .request(options(method, path))
        .map(request -> request.putHeader("authorization", "Bearer " + ApiServer.TOKEN));
  }

  private RequestOptions options(HttpMethod method, String path) {
    return new RequestOptions()
        .setMethod(method)
        .setHost("127.0.0.1")
        .setPort(server.port())
        .setURI(path);
  }

  private record Answer(HttpClientResponse response, Buffer body) {
    static Future<Answer> of(HttpClientResponse response) {
      assertEquals(HttpVersion.HTTP_2, response.version());
      return response.body().map(body -> new Answer(response, body));
    }

    int status() {
      return response.statusCode();
    }

    String header(String name) {
      return response.getHeader(name);
    }

    JsonObject json() {
      return body.toJsonObject();
    }
  }
}
