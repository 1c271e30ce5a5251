package io.incudal.agent.api;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.incudal.agent.lun.LunMessages.TargetList;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpMethod;
import io.vertx.junit5.VertxExtension;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@ExtendWith(VertxExtension.class)
class RequestIdTest {
  private static ApiServer server;

  @BeforeAll
  static void start(Vertx vertx) {
    server = ApiServer.start(vertx);
  }

  @BeforeEach
  void reset() {
    server.reset();
  }

  @ParameterizedTest
  @ValueSource(strings = {"a", "7f3a-1", "with blank inside", "~!@#$%^&*(){}[]\"'<>"})
  void takesThatOfTheCallerAndHandsItOn(String id) throws IOException {
    assertEquals(id, ask("/lun", id));
    assertEquals(List.of(id), server.requestIds);
  }

  @Test
  void takesOneOf128CharactersButNoLongerOne() throws IOException {
    assertEquals("x".repeat(128), ask("/lun", "x".repeat(128)));
    assertNew(ask("/lun", "x".repeat(129)));
  }

  @ParameterizedTest
  @ValueSource(strings = {"", " ", "\u00e4", "a\tb", "a\u007fb"})
  void makesANewOneInsteadOfAnUnfitOne(String id) throws IOException {
    assertNew(ask("/lun", id));
  }

  @Test
  void neverTakesTheTokenForAnId() throws IOException {
    String id = ask("/lun", ApiServer.TOKEN);
    assertNotEquals(ApiServer.TOKEN, id);
    assertEquals(List.of(id), server.requestIds);
  }

  @ParameterizedTest
  @ValueSource(strings = {"/healthz", "/readyz", "/lun", "/no/such/path", "/logs?since=x"})
  void isInEveryAnswer(String path) throws IOException {
    assertEquals("mine", ask(path, "mine"));
  }

  @Test
  void isInTheAnswerToAnUnauthorizedRequest() {
    var request = server.anonymous(HttpMethod.GET, "/lun").putHeader("X-Request-Id", "mine");
    assertEquals("mine", request.send().await().getHeader("X-Request-Id"));
  }

  @Test
  void isNewForEveryRequest() {
    Set<String> ids = new HashSet<>();
    for (int i = 0; i < 50; i++) {
      ids.add(server.get("/healthz").getHeader("X-Request-Id"));
    }
    assertEquals(50, ids.size());
  }

  @Test
  void staysApartForRequestsThatAreWorkedOnTogether() {
    var waiting = new ConcurrentLinkedQueue<Promise<TargetList>>();
    server.query =
        query -> {
          var answer = Promise.<TargetList>promise();
          waiting.add(answer);
          if (waiting.size() == 20) {
            waiting.forEach(promise -> promise.complete(ApiServer.TARGETS));
          }
          return answer.future();
        };
    List<Future<String>> answers = new ArrayList<>();
    for (int i = 0; i < 20; i++) {
      answers.add(
          server
              .request(HttpMethod.GET, "/lun")
              .putHeader("X-Request-Id", "id-" + i)
              .send()
              .map(answer -> answer.getHeader("X-Request-Id")));
    }
    for (int i = 0; i < 20; i++) {
      assertEquals("id-" + i, answers.get(i).await());
    }
    assertEquals(20, Set.copyOf(server.requestIds).size());
  }

  private static String ask(String path, String id) throws IOException {
    return RawHttp.ask(
            server.port(),
            "GET " + path + " HTTP/1.1",
            "Host: x",
            "Authorization: Bearer " + ApiServer.TOKEN,
            "X-Request-Id: " + id)
        .header("X-Request-Id");
  }

  private static void assertNew(String id) {
    assertTrue(id.matches("[0-9a-f]{8}-[0-9a-z]+"), id);
  }
}
