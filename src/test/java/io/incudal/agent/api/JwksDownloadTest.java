package io.incudal.agent.api;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.incudal.agent.config.JwtConfig;
import io.incudal.agent.panel.reference.SelfSignedCertificate;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpServer;
import io.vertx.core.http.HttpServerOptions;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpServerResponse;
import io.vertx.core.net.PfxOptions;
import io.vertx.junit5.VertxExtension;
import java.net.URI;
import java.nio.file.Path;
import java.security.KeyPair;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Keys from an issuer that changes them, is slow, answers nonsense, or is away. */
@ExtendWith(VertxExtension.class)
class JwksDownloadTest {
  private static final KeyPair FIRST = Issuer.pair("secp256r1");
  private static final KeyPair SECOND = Issuer.pair("secp256r1");

  @TempDir private Path directory;

  private final Vertx issuers = Vertx.vertx();
  private final AtomicInteger asked = new AtomicInteger();
  private volatile Consumer<HttpServerResponse> answer = keys("1", FIRST);
  private HttpServer issuer;
  private int port;

  @BeforeEach
  void start() {
    issuer = listen(0);
    port = issuer.actualPort();
  }

  @AfterEach
  void stop() {
    issuers.close().await();
  }

  private HttpServer listen(int on) {
    return issuers.createHttpServer().requestHandler(this::answer).listen(on, "127.0.0.1").await();
  }

  private void answer(HttpServerRequest request) {
    asked.incrementAndGet();
    if (request.uri().equals("/realm/jwks?p=1")) {
      answer.accept(request.response());
    } else {
      request.response().setStatusCode(404).end();
    }
  }

  @Test
  void hasTheKeysForTheFirstToken(Vertx vertx) {
    assertEquals(200, start(vertx).status(by("1", FIRST)));
    assertEquals(1, asked.get());
  }

  @Test
  void takesAnotherKeyWithTheFirstTokenThatNamesIt(Vertx vertx) {
    JwtServer server = start(vertx);
    assertEquals(200, server.status(by("1", FIRST)));
    answer = keys("2", SECOND);
    waitForThePause(vertx);
    assertEquals(200, server.status(by("2", SECOND)));
    assertEquals(401, server.status(by("1", FIRST)));
    assertEquals(401, server.status(by("2", FIRST)));
  }

  @Test
  void asksTheIssuerNoMoreOftenHoweverManyTokensNameKeysThatNobodyHas(Vertx vertx) {
    JwtServer server = start(vertx);
    assertEquals(200, server.status(by("1", FIRST)));
    waitForThePause(vertx);
    long begin = System.nanoTime();
    for (int round = 0; round < 5; round++) {
      List<Future<?>> all =
          IntStream.range(0, 100)
              .<Future<?>>mapToObj(i -> server.send(by("foreign " + i, SECOND)))
              .toList();
      Future.all(all).await();
    }
    long pauses = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - begin) / 100;
    assertTrue(asked.get() <= 3 + pauses, asked + " in " + pauses + " pauses");
    assertEquals(200, server.status(by("1", FIRST)));
  }

  @Test
  void refusesJwtsUntilTheIssuerIsThereAndTakesTheTokenAlways(Vertx vertx) {
    issuer.close().await();
    JwtServer server = start(vertx);
    assertEquals(401, server.status(by("1", FIRST)));
    assertEquals(200, server.api.get("/lun").statusCode());
    issuer = listen(port);
    ApiServer.await(() -> server.status(by("1", FIRST)) == 200);
  }

  @Test
  void asksAgainUnaskedUntilTheIssuerIsThere(Vertx vertx) {
    issuer.close().await();
    JwtServer server = start(vertx);
    assertEquals(401, server.status(by("1", FIRST)));
    issuer = listen(port);
    ApiServer.await(() -> asked.get() == 1);
    assertEquals(200, server.status(by("1", FIRST)));
    assertEquals(1, asked.get());
  }

  @Test
  void keepsTheLastKeysWhileTheIssuerIsAway(Vertx vertx) {
    JwtServer server = start(vertx);
    assertEquals(200, server.status(by("1", FIRST)));
    issuer.close().await();
    waitForThePause(vertx);
    assertEquals(401, server.status(by("2", SECOND)));
    assertEquals(200, server.status(by("1", FIRST)));
    answer = keys("2", SECOND);
    issuer = listen(port);
    ApiServer.await(() -> server.status(by("2", SECOND)) == 200);
  }

  @ParameterizedTest
  @ValueSource(strings = {"500", "302", "204", "{}", "[]", "<html>", "", "(large)", "(cut)"})
  void keepsTheLastKeysWhileTheIssuerAnswersNonsense(String nonsense, Vertx vertx) {
    JwtServer server = start(vertx);
    assertEquals(200, server.status(by("1", FIRST)));
    answer = nonsense(nonsense);
    waitForThePause(vertx);
    int before = asked.get();
    assertEquals(401, server.status(by("2", SECOND)));
    assertEquals(before + 1, asked.get(), "asked, and nothing followed");
    assertEquals(200, server.status(by("1", FIRST)));
    answer = keys("2", SECOND);
    ApiServer.await(() -> server.status(by("2", SECOND)) == 200);
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void dropsAKeyThatTheIssuerHasWithdrawn(boolean replaced, Vertx vertx) {
    JwtServer server = JwtServer.start(vertx, new JwtConfig.JwksUrl(url()), Duration.ofMillis(50));
    assertEquals(200, server.status(by("1", FIRST)));
    answer = replaced ? keys("2", SECOND) : response -> response.end(Issuer.jwks().encode());
    ApiServer.await(() -> server.status(by("1", FIRST)) == 401);
    assertEquals(replaced ? 200 : 401, server.status(by("2", SECOND)));
  }

  @Test
  void takesNoKeysFromAnIssuerWhoseCertificateNobodyVouchesFor(Vertx vertx) throws Exception {
    SelfSignedCertificate certificate = SelfSignedCertificate.make(directory);
    var options =
        new HttpServerOptions()
            .setSsl(true)
            .setKeyCertOptions(
                new PfxOptions()
                    .setPath(certificate.keyStore().toString())
                    .setPassword(SelfSignedCertificate.PASSWORD));
    HttpServer impostor =
        issuers.createHttpServer(options).requestHandler(this::answer).listen(0).await();
    URI url = URI.create("https://localhost:" + impostor.actualPort() + "/realm/jwks?p=1");
    JwtServer server = JwtServer.start(vertx, new JwtConfig.JwksUrl(url));
    assertEquals(401, server.status(by("1", FIRST)));
    assertEquals(0, asked.get());
  }

  @Test
  void judgesOthersWhileTheIssuerIsSlow(Vertx vertx) {
    JwtServer server = start(vertx);
    assertEquals(200, server.status(by("1", FIRST)));
    List<HttpServerResponse> late = new CopyOnWriteArrayList<>();
    answer = late::add;
    waitForThePause(vertx);
    List<Future<Integer>> waiting =
        IntStream.range(0, 40).mapToObj(i -> server.send(by("2", SECOND))).toList();
    ApiServer.await(() -> waiting.stream().filter(Future::isComplete).count() == 8);
    assertEquals(200, server.status(by("1", FIRST)));
    assertEquals(200, server.api.get("/lun").statusCode());
    assertEquals(8, waiting.stream().filter(Future::isComplete).count());
    late.forEach(keys("2", SECOND));
    ApiServer.await(() -> waiting.stream().allMatch(Future::isComplete));
    assertEquals(32, waiting.stream().filter(status -> status.result() == 200).count());
  }

  private JwtServer start(Vertx vertx) {
    return JwtServer.start(vertx, new JwtConfig.JwksUrl(url()));
  }

  private URI url() {
    return URI.create("http://127.0.0.1:" + port + "/realm/jwks?p=1");
  }

  /** Tests look at files every 20 ms, so an issuer is asked every 100 ms at most. */
  private static void waitForThePause(Vertx vertx) {
    vertx.timer(110, TimeUnit.MILLISECONDS).await();
  }

  private static String by(String id, KeyPair pair) {
    return Issuer.token(Issuer.header("ES256").put("kid", id), Issuer.claims().encode(), pair);
  }

  private static Consumer<HttpServerResponse> keys(String id, KeyPair pair) {
    String jwks = Issuer.jwks(Issuer.jwk(id, pair.getPublic())).encode();
    return response -> response.end(jwks);
  }

  private Consumer<HttpServerResponse> nonsense(String what) {
    String good = Issuer.jwks(Issuer.jwk("2", SECOND.getPublic())).encode();
    return switch (what) {
      case "500" -> response -> response.setStatusCode(500).end(good);
      case "204" -> response -> response.setStatusCode(204).end();
      case "302" ->
          response ->
              response.setStatusCode(302).putHeader("Location", "/realm/jwks?p=1").end(good);
      case "(large)" -> response -> response.end(good + " ".repeat(256 * 1024));
      case "(cut)" ->
          response ->
              response
                  .putHeader("Content-Length", "5000")
                  .write(good)
                  .onComplete(sent -> response.reset());
      default -> response -> response.end(what);
    };
  }
}
