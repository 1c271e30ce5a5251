package io.incudal.agent.api;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.vertx.core.Future;
import io.vertx.core.Handler;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpConnection;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpServerResponse;
import io.vertx.core.http.HttpVersion;
import io.vertx.junit5.VertxExtension;
import java.lang.reflect.InvocationHandler;
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
  private final List<Handler<Void>> streamsEnd = new ArrayList<>();
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
    connections.began(request(opened("a")));
    now += 100_000;
    connections.sweep();
    assertEquals(List.of(), closed);
  }

  @Test
  void beginsAnewWhenAPeerHasDoneSomething() {
    HttpConnection a = opened("a");
    HttpConnection b = opened("b");
    now += 99;
    connections.peersTurn(request(a));
    connections.began(request(b));
    connections.peersTurn(request(b));
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
    connections.began(request(b));
    opened("d");
    opened("e");
    assertEquals(List.of("a", "c"), closed);
  }

  @Test
  void refusesTheNewestWhenItWorksForAllOthers() {
    for (String name : List.of("a", "b", "c")) {
      connections.began(request(opened(name)));
    }
    opened("d");
    assertEquals(List.of("d"), closed);
  }

  @Test
  void neverClosesOneThatTheAgentWorksForOnAnotherStream() {
    HttpConnection a = opened("a");
    connections.began(stream(a, 1));
    connections.began(stream(a, 3));
    connections.peersTurn(stream(a, 3));
    now += 100_000;
    connections.sweep();
    assertEquals(List.of(), closed);
    connections.peersTurn(stream(a, 1));
    now += 100;
    connections.sweep();
    assertEquals(List.of("a"), closed);
  }

  @Test
  void countsStreamsAsConnectionsUntilTheyEnd() {
    opened("a");
    HttpConnection b = opened("b");
    connections.began(stream(b, 1));
    streamsEnd.remove(0).handle(null);
    connections.began(stream(b, 3));
    assertEquals(List.of(), closed);
    connections.began(stream(b, 5));
    assertEquals(List.of("a"), closed);
  }

  @Test
  void beginsToWaitWhenAStreamIsCancelled() {
    connections.began(stream(opened("a"), 1));
    streamsEnd.remove(0).handle(null);
    now += 100;
    connections.sweep();
    assertEquals(List.of("a"), closed);
  }

  private HttpConnection opened(String name) {
    var connection = fake(name);
    connections.opened(connection);
    return connection;
  }

  private HttpServerRequest request(HttpConnection connection) {
    return request(connection, HttpVersion.HTTP_1_1, -1);
  }

  private HttpServerRequest stream(HttpConnection connection, int id) {
    return request(connection, HttpVersion.HTTP_2, id);
  }

  private HttpServerRequest request(HttpConnection connection, HttpVersion version, int stream) {
    var response =
        proxy(
            HttpServerResponse.class,
            (self, method, arguments) ->
                switch (method.getName()) {
                  case "closeHandler" -> {
                    streamsEnd.add(handler(arguments[0]));
                    yield self;
                  }
                  case "closed" -> false;
                  default -> throw new UnsupportedOperationException(method.getName());
                });
    return proxy(
        HttpServerRequest.class,
        (self, method, arguments) ->
            switch (method.getName()) {
              case "connection" -> connection;
              case "version" -> version;
              case "streamId" -> stream;
              case "response" -> response;
              default -> throw new UnsupportedOperationException(method.getName());
            });
  }

  /** Does nothing but close, and tells of it. */
  private HttpConnection fake(String name) {
    var closeHandler = new ArrayList<Handler<Void>>();
    return proxy(
        HttpConnection.class,
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

  private static <T> T proxy(Class<T> type, InvocationHandler handler) {
    return type.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, handler));
  }

  @SuppressWarnings("unchecked")
  private static Handler<Void> handler(Object argument) {
    return (Handler<Void>) argument;
  }
}
