package io.incudal.agent.api;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.vertx.core.Future;
import io.vertx.core.Handler;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpConnection;
import io.vertx.junit5.VertxExtension;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

@ExtendWith(VertxExtension.class)
class ConnectionsTest {
  private final List<String> closed = new ArrayList<>();
  private long now = Long.MAX_VALUE - 1;
  private Connections connections;

  @BeforeEach
  void make(Vertx vertx) {
    var limits = new HttpLimits(3, Duration.ofNanos(100), Duration.ofDays(1));
    connections = new Connections(vertx, limits, () -> now);
  }

  @Test
  void closesThoseThatKeepTheAgentWaiting() {
    opened("a");
    now += 60;
    opened("b");
    now += 40;
    connections.sweep();
    assertEquals(List.of("a"), closed);
    now += 60;
    connections.sweep();
    assertEquals(List.of("a", "b"), closed);
  }

  @Test
  void neverClosesOneThatTheAgentWorksFor() {
    connections.agentsTurn(opened("a"));
    now += 100_000;
    connections.sweep();
    assertEquals(List.of(), closed);
  }

  @Test
  void beginsAnewWhenAPeerHasDoneSomething() {
    HttpConnection a = opened("a");
    HttpConnection b = opened("b");
    now += 99;
    connections.peersTurn(a);
    connections.agentsTurn(b);
    connections.peersTurn(b);
    now += 99;
    connections.sweep();
    assertEquals(List.of(), closed);
    now += 1;
    connections.sweep();
    assertEquals(List.of("a", "b"), closed);
  }

  @Test
  void makesRoomByClosingTheOneThatHasWaitedLongest() {
    opened("a");
    HttpConnection b = opened("b");
    opened("c");
    connections.agentsTurn(b);
    opened("d");
    opened("e");
    assertEquals(List.of("a", "c"), closed);
  }

  @Test
  void refusesTheNewestWhenItWorksForAllOthers() {
    for (String name : List.of("a", "b", "c")) {
      connections.agentsTurn(opened(name));
    }
    opened("d");
    assertEquals(List.of("d"), closed);
  }

  private HttpConnection opened(String name) {
    var connection = fake(name);
    connections.opened(connection);
    return connection;
  }

  /** Does nothing but close, and tells of it. */
  private HttpConnection fake(String name) {
    var closeHandler = new ArrayList<Handler<Void>>();
    return (HttpConnection)
        Proxy.newProxyInstance(
            HttpConnection.class.getClassLoader(),
            new Class<?>[] {HttpConnection.class},
            (self, method, arguments) -> {
              switch (method.getName()) {
                case "closeHandler":
                  closeHandler.add(handler(arguments[0]));
                  return self;
                case "close":
                  closed.add(name);
                  closeHandler.forEach(handler -> handler.handle(null));
                  return Future.succeededFuture();
                case "hashCode":
                  return System.identityHashCode(self);
                case "equals":
                  return self == arguments[0];
                default:
                  throw new UnsupportedOperationException(method.getName());
              }
            });
  }

  @SuppressWarnings("unchecked")
  private static Handler<Void> handler(Object argument) {
    return (Handler<Void>) argument;
  }
}
