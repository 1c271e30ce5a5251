package io.incudal.agent.api;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.netty.pkitesting.X509Bundle;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpClient;
import io.vertx.core.http.HttpClientRequest;
import io.vertx.core.http.HttpClientResponse;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpVersion;
import io.vertx.core.http.PoolOptions;
import io.vertx.core.http.RequestOptions;
import io.vertx.ext.web.client.WebClient;
import io.vertx.junit5.VertxExtension;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Certificates that are renewed while the agent runs. */
@ExtendWith(VertxExtension.class)
class TlsRenewalTest {
  private static final X509Bundle CLIENT = TlsFixture.client(TlsFixture.CA, Duration.ofDays(1));

  @TempDir private static Path directory;
  private static TlsFixture fixture;
  private static ApiServer server;

  @BeforeAll
  static void start() throws IOException {
    fixture = new TlsFixture(directory);
    server = ApiServer.start(Vertx.vertx(), fixture.filesForBoth());
  }

  @AfterAll
  static void stop() {
    server.vertx.close().await();
  }

  @BeforeEach
  void first(Vertx vertx) throws IOException {
    fixture.filesForBoth();
    ApiServer.await(() -> !isRefused(vertx, CLIENT) && "CN=server".equals(subject(vertx)));
  }

  @Test
  void failsNoRequestWhileCertificatesChange(Vertx vertx) throws Exception {
    var stopped = new AtomicBoolean();
    var answered = new AtomicInteger();
    List<Future<?>> callers = new ArrayList<>();
    for (HttpVersion version : List.of(HttpVersion.HTTP_1_1, HttpVersion.HTTP_2)) {
      for (boolean kept : new boolean[] {true, false}) {
        callers.add(new Caller(vertx, version, kept).run(stopped, answered));
      }
    }
    for (int renewal = 1; renewal <= 3; renewal++) {
      String name = "CN=renewed-" + renewal;
      fixture.write(TlsFixture.server(name));
      ApiServer.await(() -> name.equals(subject(vertx)));
      int before = answered.get();
      callers.forEach(caller -> assertFalse(caller.failed(), () -> "" + caller.cause()));
      ApiServer.await(() -> answered.get() > before + 12);
    }
    stopped.set(true);
    Future.all(callers).await();
  }

  @Test
  void keepsOpenConnectionsWithWhatTheyBeganWith(Vertx vertx) throws Exception {
    HttpClient client = vertx.createHttpClient(TlsFixture.client(HttpVersion.HTTP_2));
    assertEquals("CN=server", Answer.of(client, server).await().subject());
    fixture.write(TlsFixture.server("CN=next"));
    ApiServer.await(() -> "CN=next".equals(subject(vertx)));
    assertEquals("CN=server", Answer.of(client, server).await().subject());
  }

  /** Kubernetes swaps the directory behind a symbolic link. */
  @Test
  void followsALinkToAnotherDirectory(Vertx vertx) throws Exception {
    Path first = Files.createDirectory(directory.resolve("first"));
    var files = new TlsFixture(first).files();
    Path mounted = Files.createDirectory(directory.resolve("mounted"));
    Path data = Files.createSymbolicLink(mounted.resolve("..data"), first);
    for (Path file : List.of(files.certificate(), files.key())) {
      Files.createSymbolicLink(
          mounted.resolve(file.getFileName()), Path.of("..data").resolve(file.getFileName()));
    }
    var linked = ApiServer.start(vertx, new TlsFixture(mounted).links());
    var next = new TlsFixture(Files.createDirectory(directory.resolve("next")));
    next.write(TlsFixture.server("CN=next"));
    Path link = Files.createSymbolicLink(mounted.resolve("..tmp"), next.directory);
    Files.move(link, data, StandardCopyOption.ATOMIC_MOVE);
    ApiServer.await(() -> "CN=next".equals(subject(vertx, linked)));
  }

  @ParameterizedTest
  @ValueSource(strings = {"certificate only", "key only", "half", "empty", "gone", "nonsense"})
  void keepsTheLastPairUntilTheNewOneIsWhole(String state, Vertx vertx) throws Exception {
    X509Bundle next = TlsFixture.server("CN=next");
    String certificate = next.getCertificatePathPEM();
    switch (state) {
      case "certificate only" -> TlsFixture.replace(fixture.certificate(), certificate);
      case "key only" -> TlsFixture.replace(fixture.key(), next.getPrivateKeyPEM());
      case "half" -> Files.writeString(fixture.certificate(), certificate.substring(0, 200));
      case "empty" -> Files.writeString(fixture.key(), "");
      case "gone" -> Files.delete(fixture.key());
      default -> Files.writeString(fixture.key(), "nonsense");
    }
    // Longer than a few looks at the files take.
    vertx.timer(100, TimeUnit.MILLISECONDS).await();
    assertEquals("CN=server", subject(vertx));
    fixture.write(next);
    ApiServer.await(() -> "CN=next".equals(subject(vertx)));
  }

  @Test
  void takesUpAnotherAuthorityOfClients(Vertx vertx) throws Exception {
    var stranger = TlsFixture.client(TlsFixture.STRANGER, Duration.ofDays(1));
    assertTrue(isRefused(vertx, stranger));
    assertEquals(200, status(vertx, CLIENT));
    TlsFixture.replace(fixture.clientCa(), TlsFixture.STRANGER.getRootCertificatePEM());
    ApiServer.await(() -> isRefused(vertx, CLIENT));
    assertEquals(200, status(vertx, stranger));
  }

  private static boolean isRefused(Vertx vertx, X509Bundle client) {
    try {
      status(vertx, client);
      return false;
    } catch (Exception ended) {
      return TlsFixture.isTls(ended);
    }
  }

  private static int status(Vertx vertx, X509Bundle as) {
    var client = WebClient.create(vertx, TlsFixture.client(HttpVersion.HTTP_1_1, as));
    return server
        .anonymous(client, HttpMethod.GET, "/lun")
        .putHeader("Authorization", "Bearer " + ApiServer.TOKEN)
        .send()
        .eventually(
            () -> {
              client.close();
              return Future.succeededFuture();
            })
        .await()
        .statusCode();
  }

  private static String subject(Vertx vertx) {
    return subject(vertx, server);
  }

  /** Of the certificate that a new connection sees. */
  private static String subject(Vertx vertx, ApiServer of) {
    HttpClient client = vertx.createHttpClient(TlsFixture.client(HttpVersion.HTTP_1_1));
    try {
      return Answer.of(client, of).await().subject();
    } finally {
      client.close().await();
    }
  }

  private record Answer(int status, String subject) {
    static Future<Answer> of(HttpClient client, ApiServer server) {
      return client
          .request(
              new RequestOptions().setHost("127.0.0.1").setPort(server.port()).setURI("/healthz"))
          .compose(request -> request.send().compose(response -> whole(request, response)));
    }

    private static Future<Answer> whole(HttpClientRequest request, HttpClientResponse response) {
      try {
        var session = request.connection().sslSession();
        var answer = new Answer(response.statusCode(), session.getPeerPrincipal().getName());
        return response.end().map(answer);
      } catch (IOException unverified) {
        return Future.failedFuture(unverified);
      }
    }
  }

  /** Asks again and again, over one connection or a new one each time. */
  private record Caller(Vertx vertx, HttpVersion version, boolean kept) {
    Future<?> run(AtomicBoolean stopped, AtomicInteger answered) {
      return run(client(), stopped, answered);
    }

    private Future<?> run(HttpClient client, AtomicBoolean stopped, AtomicInteger answered) {
      return Answer.of(client, server)
          .compose(
              answer -> {
                assertEquals(200, answer.status());
                answered.incrementAndGet();
                return kept ? Future.succeededFuture(client) : client.close().map(none -> client());
              })
          .compose(next -> stopped.get() ? next.close() : run(next, stopped, answered).mapEmpty());
    }

    private HttpClient client() {
      return vertx.createHttpClient(
          TlsFixture.client(version, CLIENT), new PoolOptions().setHttp1MaxSize(1));
    }
  }
}
