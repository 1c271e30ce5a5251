package io.incudal.agent.api;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.netty.pkitesting.X509Bundle;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpVersion;
import io.vertx.ext.web.client.HttpResponse;
import io.vertx.ext.web.client.WebClient;
import io.vertx.ext.web.client.WebClientOptions;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** Client certificates: asked for in the handshake, needed on every path but the probes'. */
class ClientCertificateTest {
  private static final Duration DAY = Duration.ofDays(1);

  private static Vertx vertx;
  private static TlsFixture fixture;
  private static ApiServer server;

  @BeforeAll
  static void start(@TempDir Path directory) throws IOException {
    vertx = Vertx.vertx();
    fixture = new TlsFixture(directory);
    server = ApiServer.start(vertx, fixture.filesForBoth());
  }

  @AfterAll
  static void stop() {
    vertx.close().await();
  }

  @ParameterizedTest
  @CsvSource({
    "GET, /healthz, 200",
    "HEAD, /healthz, 200",
    "GET, /readyz, 200",
    "HEAD, /readyz, 200",
    "POST, /healthz, 401",
    "GET, /healthz/, 401",
    "GET, //readyz, 401",
    "GET, /readyz/../lun, 401",
    "GET, /readyz%2f, 401",
    "GET, /lun, 401",
    "POST, /lun/disk, 401",
    "POST, /lun/cd, 401",
    "POST, /lun/scan, 401",
    "DELETE, /lun, 401",
    "GET, /masters, 401",
    "GET, /capabilities, 401",
    "GET, /logs, 401",
    "GET, /metrics, 401",
    "GET, /openapi.yaml, 401",
    "GET, /no/such/path, 401",
  })
  void isNeededBesideTheToken(String method, String path, int status) {
    server.reset();
    HttpResponse<Buffer> answer =
        ask(TlsFixture.client(HttpVersion.HTTP_1_1), HttpMethod.valueOf(method), path);
    assertEquals(status, answer.statusCode());
    if (status == 401) {
      assertEquals("unauthorized", answer.bodyAsJsonObject().getString("detail"));
      assertEquals("Bearer", answer.getHeader("WWW-Authenticate"));
      assertEquals(0, server.asked.size());
    }
  }

  @ParameterizedTest
  @EnumSource(
      value = HttpVersion.class,
      names = {"HTTP_1_1", "HTTP_2"})
  void opensEveryPathTogetherWithTheToken(HttpVersion version) {
    var client = TlsFixture.client(version, TlsFixture.client(TlsFixture.CA, DAY));
    for (String path : new String[] {"/lun", "/openapi.yaml", "/readyz", "/healthz"}) {
      HttpResponse<Buffer> answer = ask(client, HttpMethod.GET, path);
      assertEquals(200, answer.statusCode(), path);
      assertEquals(version, answer.version());
    }
  }

  @Test
  void doesNotReplaceTheToken() {
    var options = TlsFixture.client(HttpVersion.HTTP_2, TlsFixture.client(TlsFixture.CA, DAY));
    var client = WebClient.create(vertx, options);
    assertEquals(401, server.anonymous(client, HttpMethod.GET, "/lun").send().await().statusCode());
    client.close();
  }

  @Test
  void endsTheHandshakeWhenAnotherAuthoritySignedIt() {
    endsTheHandshake(TlsFixture.client(TlsFixture.STRANGER, DAY));
  }

  @Test
  void endsTheHandshakeWhenItHasExpired() {
    endsTheHandshake(TlsFixture.client(TlsFixture.CA, DAY.negated()));
  }

  @Test
  void endsTheHandshakeWhenItIsForServersOnly() {
    endsTheHandshake(TlsFixture.SERVER);
  }

  /** Even where none is needed. */
  private static void endsTheHandshake(X509Bundle as) {
    var client = TlsFixture.client(HttpVersion.HTTP_1_1, as);
    var failure = assertThrows(Exception.class, () -> ask(client, HttpMethod.GET, "/healthz"));
    assertTrue(TlsFixture.isTls(failure), failure.toString());
  }

  private static HttpResponse<Buffer> ask(WebClientOptions as, HttpMethod method, String path) {
    var client = WebClient.create(vertx, as);
    try {
      return server
          .anonymous(client, method, path)
          .putHeader("Authorization", "Bearer " + ApiServer.TOKEN)
          .send()
          .await();
    } finally {
      client.close();
    }
  }
}
