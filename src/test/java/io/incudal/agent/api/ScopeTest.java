package io.incudal.agent.api;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.incudal.agent.auth.Access;
import io.incudal.agent.bus.Bus;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpMethod;
import io.vertx.ext.web.Router;
import io.vertx.ext.web.client.HttpResponse;
import io.vertx.ext.web.client.WebClient;
import io.vertx.junit5.VertxExtension;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tokens that are judged later, and that may do some things and not others. */
@ExtendWith(VertxExtension.class)
class ScopeTest {
  private static WebClient client;
  private static int port;

  /** The router with endpoints that say who asked, and with what body. */
  @BeforeAll
  static void start(Vertx vertx) {
    Bus.install(vertx);
    Contract contract = Contract.load(vertx).await();
    var connections = new Connections(vertx, HttpLimits.DEFAULTS, System::nanoTime);
    var bodies = new BodyReader(connections);
    Map<String, ApiRoutes.Endpoint> endpoints = new HashMap<>();
    for (String id : contract.operationIds()) {
      endpoints.put(
          id,
          ctx ->
              bodies
                  .read(ctx.request())
                  .map(body -> Buffer.buffer(Exchange.of(ctx).caller() + " " + body))
                  .map(Payload::json));
    }
    var gate =
        new Gate(
            contract,
            new Gate.Rules(token -> judge(vertx, token), false, 100),
            RequestListener.NONE);
    Router router =
        new ApiRoutes(vertx, contract, gate, new Replies(vertx, connections)).build(endpoints);
    port =
        vertx.createHttpServer().requestHandler(router).listen(0, "127.0.0.1").await().actualPort();
    client = WebClient.create(vertx);
  }

  /** A token is the scopes that it has, with a plus sign between them. */
  private static Future<Access> judge(Vertx vertx, String token) {
    Access access =
        token.equals("bad")
            ? Access.REFUSED
            : new Access.Granted(Optional.of("me"), Optional.of(Set.of(token.split("\\+"))));
    return vertx.timer(5, TimeUnit.MILLISECONDS).map(later -> access);
  }

  @ParameterizedTest
  @CsvSource({
    "lun:read,GET,/lun,200",
    "lun:read,GET,/masters,200",
    "lun:read,HEAD,/capabilities,200",
    "lun:read,GET,/logs,403",
    "lun:read,DELETE,/lun,403",
    "lun:write,GET,/lun,403",
    "lun:write,HEAD,/lun,403",
    "lun:write,POST,/lun/scan,200",
    "lun:write,POST,/lun/disk,200",
    "lun:write,POST,/lun/cd,200",
    "lun:write,DELETE,/lun,200",
    "logs:read,GET,/logs,200",
    "metrics:read,GET,/metrics,200",
    "lun:read,GET,/metrics,403",
    "lun:read+logs:read,GET,/logs,200",
    "none,GET,/openapi.yaml,200",
    "none,GET,/readyz,200",
    "none,GET,/no/such/path,404",
    "none,POST,/lun/scan,403",
    "bad,GET,/readyz,200",
    "bad,GET,/lun,401",
    "bad,GET,/no/such/path,401"
  })
  void letsATokenDoWhatItsScopesSay(String token, HttpMethod method, String path, int status) {
    assertEquals(status, ask(token, method, path, null).statusCode());
  }

  @Test
  void saysWhichScopeIsMissing() {
    HttpResponse<Buffer> answer = ask("lun:read", HttpMethod.POST, "/lun/scan", null);
    assertEquals("insufficient_scope", answer.bodyAsJsonObject().getString("code"));
    assertEquals("lun:write", answer.bodyAsJsonObject().getString("scope"));
    assertEquals(
        "Bearer error=\"insufficient_scope\", scope=\"lun:write\"",
        answer.getHeader("WWW-Authenticate"));
    assertEquals(
        "the token lacks the scope lun:write", answer.bodyAsJsonObject().getString("detail"));
  }

  @Test
  void losesNoPartOfTheBodyWhileTheTokenIsJudged() {
    String body = "x".repeat(60_000);
    HttpResponse<Buffer> answer = ask("lun:write", HttpMethod.POST, "/lun/disk", body);
    assertEquals("Caller[client=127.0.0.1, principal=Optional[me]] " + body, answer.bodyAsString());
  }

  @Test
  void servesTheNextRequestOfTheConnection() {
    for (int i = 0; i < 3; i++) {
      assertEquals(200, ask("lun:write", HttpMethod.POST, "/lun/scan", "body").statusCode());
      assertEquals(401, ask("bad", HttpMethod.POST, "/lun/scan", "body").statusCode());
    }
  }

  private static HttpResponse<Buffer> ask(
      String token, HttpMethod method, String path, String body) {
    var request =
        client
            .request(method, port, "127.0.0.1", path)
            .timeout(Duration.ofSeconds(5).toMillis())
            .putHeader("Authorization", "Bearer " + token);
    return (body == null ? request.send() : request.sendBuffer(Buffer.buffer(body))).await();
  }
}
