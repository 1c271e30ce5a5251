package io.incudal.agent.bus;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.junit5.VertxExtension;
import java.time.Duration;
import java.util.function.Function;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

@ExtendWith(VertxExtension.class)
class BusTest {
  private static final Duration SOON = Duration.ofSeconds(5);

  private record Ask(String text) implements Request<Answer> {}

  private record Answer(String text) implements AgentMessage {}

  @Test
  void handsTheReplyOverAsItIs(Vertx vertx) {
    Answer answer = new Answer("yes");
    assertSame(answer, ask(vertx, ask -> Future.succeededFuture(answer)).await());
  }

  @Test
  void handsAnAgentExceptionOverWithItsMembers(Vertx vertx) {
    var sent = new AgentException(ErrorCode.TARGET_IN_USE, "in use").with("initiators", "iqn.x");
    Future<Answer> reply = ask(vertx, ask -> Future.failedFuture(sent));
    assertSame(sent, assertThrows(AgentException.class, reply::await));
  }

  @Test
  void turnsAThrownFailureIntoInternal(Vertx vertx) {
    Future<Answer> reply =
        ask(
            vertx,
            ask -> {
              throw new IllegalStateException("secret detail");
            });
    var failure = assertThrows(AgentException.class, reply::await);
    assertEquals(ErrorCode.INTERNAL, failure.code());
    assertEquals("internal error; the agent's log has the details", failure.getMessage());
  }

  @Test
  void saysTimeoutWhenNoReplyComes(Vertx vertx) {
    Bus bus = Bus.install(vertx);
    Promise<Answer> never = Promise.promise();
    bus.serve("t", Ask.class, ask -> never.future());
    Future<Answer> reply = bus.request("t", new Ask("?"), Duration.ofMillis(20));
    assertEquals(ErrorCode.TIMEOUT, assertThrows(AgentException.class, reply::await).code());
  }

  @Test
  void saysStoppingWhenNobodyServes(Vertx vertx) {
    Future<Answer> reply = Bus.install(vertx).request("t", new Ask("?"), SOON);
    assertEquals(ErrorCode.STOPPING, assertThrows(AgentException.class, reply::await).code());
  }

  @Test
  void carriesTheTagsOfTheLogToTheServer(Vertx vertx) {
    Bus bus = Bus.install(vertx);
    bus.serve(
        "t",
        Ask.class,
        ask ->
            Future.succeededFuture(
                new Answer(LogTag.REQUEST.current() + " " + LogTag.IQN.current())));
    Promise<Answer> reply = Promise.promise();
    vertx.runOnContext(
        go -> {
          LogTag.REQUEST.bind("r-1");
          LogTag.IQN.bind("iqn.x:a");
          bus.request("t", new Ask("?"), SOON).onComplete(reply);
        });
    assertEquals("r-1 iqn.x:a", reply.future().await().text());
  }

  private static Future<Answer> ask(
      Vertx vertx, Function<Ask, Future<? extends AgentMessage>> handler) {
    Bus bus = Bus.install(vertx);
    bus.serve("t", Ask.class, handler);
    return bus.request("t", new Ask("?"), SOON);
  }
}
