package io.incudal.agent.api;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.incudal.agent.bus.ErrorCode;
import io.incudal.agent.bus.LogTag;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpMethod;
import io.vertx.junit5.VertxExtension;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.slf4j.LoggerFactory;

/** Field case B80, and what an operator reads about a request. */
@ExtendWith(VertxExtension.class)
class SecrecyTest {
  private final Logger log = (Logger) LoggerFactory.getLogger("io.incudal.agent.api");
  private final List<String> targets = new CopyOnWriteArrayList<>();
  private final ListAppender<ILoggingEvent> lines =
      new ListAppender<>() {
        @Override
        protected void append(ILoggingEvent line) {
          targets.add(String.valueOf(LogTag.IQN.current()));
          super.append(line);
        }
      };
  private ApiServer server;

  @BeforeEach
  void start(Vertx vertx) {
    server = ApiServer.start(vertx);
    lines.start();
    log.setLevel(Level.TRACE);
    log.addAppender(lines);
  }

  @AfterEach
  void leave() {
    log.detachAppender(lines);
    log.setLevel(null);
  }

  @Test
  void neverRepeatsATokenThatIsSentInTheWrongPlace() {
    String token = ApiServer.TOKEN;
    var answers =
        List.of(
            server.get("/" + token),
            server.get("/lun/" + token + "?" + token + "=" + token),
            server.get("/logs?since=" + token),
            server.post("/lun/disk", token),
            server.post("/lun/disk", "{\"iqn\": " + token + "}"),
            server.post("/lun/disk", "{\"iqn\":\"" + token + "\",\"" + token + "\":1}"),
            server.delete("/lun?iqn=" + token),
            server
                .request(HttpMethod.POST, "/lun/scan")
                .putHeader("X-Request-Id", token)
                .putHeader("User-Agent", token)
                .putHeader("Cookie", token)
                .send()
                .await(),
            server
                .anonymous(HttpMethod.POST, "/lun/scan")
                .putHeader("Authorization", "Bearer x" + token)
                .send()
                .await());
    answers.forEach(
        answer -> {
          assertFalse(answer.bodyAsString().contains(token), answer.bodyAsString());
          assertFalse(answer.headers().toString().contains(token), answer.headers().toString());
        });
    assertFalse(log().isEmpty());
    log().forEach(line -> assertFalse(line.contains(token), line));
  }

  @Test
  void logsOneLineForEveryChange() {
    String iqn = ApiServer.BASE + ":Worker-1";
    server.post("/lun/disk", "{\"iqn\":\"" + iqn + "\"}");
    server.lun = command -> ApiServer.bad(ErrorCode.TARGET_NOT_FOUND, "no such target");
    server.delete("/lun?iqn=" + iqn);
    ApiServer.await(() -> info().size() == 2);
    assertTrue(
        info()
            .get(0)
            .matches("request method=POST route=/lun/disk status=200 ms=\\d+ client=127.0.0.1"),
        info().get(0));
    assertTrue(
        info().get(1).startsWith("request method=DELETE route=/lun status=404"), info().get(1));
    assertTrue(targets.contains(ApiServer.BASE + ":worker-1"), targets.toString());
  }

  @Test
  void logsNoLineForReadsAndNothingThatAPeerMadeUp() {
    server.get("/lun");
    server.get("/no/such/path");
    server.request(HttpMethod.PUT, "/lun").send().await();
    server.post("/lun/disk", "{\"iqn\":\"" + ApiServer.BASE + ":a\\nrequest forged\"}");
    ApiServer.await(() -> info().size() == 1);
    assertEquals(Set.of("null"), Set.copyOf(targets));
  }

  @Test
  void warnsOnceOfRequestsWithoutAGoodToken() {
    for (int i = 0; i < 20; i++) {
      assertEquals(401, server.anonymous(HttpMethod.GET, "/lun").send().await().statusCode());
    }
    List<String> warnings =
        lines.list.stream()
            .filter(line -> line.getLevel() == Level.WARN)
            .map(ILoggingEvent::getFormattedMessage)
            .toList();
    assertEquals(List.of("requests without a good token count=1 last=127.0.0.1"), warnings);
  }

  private List<String> log() {
    return List.copyOf(lines.list).stream().map(ILoggingEvent::getFormattedMessage).toList();
  }

  private List<String> info() {
    return List.copyOf(lines.list).stream()
        .filter(line -> line.getLevel() == Level.INFO)
        .map(ILoggingEvent::getFormattedMessage)
        .filter(line -> line.startsWith("request "))
        .toList();
  }
}
