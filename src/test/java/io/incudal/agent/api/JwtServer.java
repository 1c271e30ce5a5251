package io.incudal.agent.api;

import static org.junit.jupiter.api.Assertions.assertEquals;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.incudal.agent.config.JwtConfig;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpMethod;
import io.vertx.ext.web.client.HttpResponse;
import java.time.Duration;
import java.util.List;
import org.slf4j.LoggerFactory;

/** A server that takes JWTs, and what it says of them in its log. */
final class JwtServer {
  private static final String REFUSED =
      "{\"detail\":\"unauthorized\",\"code\":\"unauthorized\",\"status\":401,"
          + "\"title\":\"Unauthorized\"}";

  private static final ListAppender<ILoggingEvent> LINES = new ListAppender<>();

  static {
    Logger log = (Logger) LoggerFactory.getLogger("io.incudal.agent.auth.JwtAuth");
    log.setLevel(Level.DEBUG);
    log.setAdditive(false);
    log.addAppender(LINES);
    LINES.start();
  }

  final ApiServer api;

  private JwtServer(ApiServer api) {
    this.api = api;
  }

  static JwtServer start(Vertx vertx, JwtConfig.KeySource keys) {
    return start(vertx, keys, Duration.ofSeconds(300));
  }

  static JwtServer start(Vertx vertx, JwtConfig.KeySource keys, Duration refresh) {
    return new JwtServer(
        ApiServer.start(
            vertx,
            new JwtConfig(keys, Issuer.NAME, Issuer.AUDIENCE, Duration.ofSeconds(30), refresh)));
  }

  HttpResponse<Buffer> ask(HttpMethod method, String path, String token) {
    return api.anonymous(method, path)
        .putHeader("Authorization", "Bearer " + token)
        .sendBuffer(Buffer.buffer("{}"))
        .await();
  }

  int status(String token) {
    return send(token).await();
  }

  Future<Integer> send(String token) {
    return api.anonymous(HttpMethod.GET, "/lun")
        .putHeader("Authorization", "Bearer " + token)
        .send()
        .map(HttpResponse::statusCode);
  }

  void assertGood(String token) {
    HttpResponse<Buffer> answer = ask(HttpMethod.GET, "/lun", token);
    assertEquals(200, answer.statusCode(), () -> "refused: " + reasons());
  }

  /** The caller is told nothing, nothing is done, and the log says why. */
  void assertRefused(String reason, String token) {
    LINES.list.clear();
    api.reset();
    HttpResponse<Buffer> answer = ask(HttpMethod.POST, "/lun/scan", token);
    assertEquals(401, answer.statusCode(), answer.bodyAsString());
    assertEquals("Bearer", answer.getHeader("WWW-Authenticate"));
    assertEquals(REFUSED, answer.bodyAsString());
    assertEquals(List.of(), api.asked);
    assertEquals(List.of("jwt refused reason=\"" + reason + "\""), reasons());
  }

  /** Why tokens were refused since the last time that one was to be. */
  List<String> reasons() {
    return List.copyOf(LINES.list).stream().map(ILoggingEvent::getFormattedMessage).toList();
  }
}
