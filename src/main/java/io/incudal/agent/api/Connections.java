package io.incudal.agent.api;

import io.netty.channel.ChannelPipeline;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpConnection;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpVersion;
import io.vertx.core.http.impl.HttpServerConnection;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.function.LongSupplier;

/**
 * Bounds how many connections and streams there are, and how long each peer may keep the agent
 * waiting: for a request, for its body, for room to write the answer. While the agent itself works
 * for a peer, for hours if need be, no clock of its connection runs; this is why the server's own
 * idle timeout is off.
 *
 * <p>On the event loop. When there are too many, the connection that has kept the agent waiting
 * longest goes, so that idle ones cannot shut out a Control Plane.
 */
final class Connections {
  private static final String IDLE_TIMEOUT = "idle";

  private final Vertx vertx;
  private final LongSupplier clock;
  private final int max;
  private final Duration patience;

  /** The streams of each open connection that the agent works for; HTTP/1 has one stream. */
  private final Map<HttpConnection, Set<Integer>> working = new HashMap<>();

  /** Since when those wait that it does not work for. */
  private final Map<HttpConnection, Long> waiting = new LinkedHashMap<>();

  private int streams;
  private boolean closed;
  private long timer = -1;

  /**
   * @param clock in nanoseconds, from any origin
   */
  Connections(Vertx vertx, HttpLimits limits, LongSupplier clock) {
    this.vertx = vertx;
    this.clock = clock;
    this.max = limits.connections();
    this.patience = limits.patience();
  }

  void watch() {
    if (!closed) {
      long pause = Math.max(1, patience.toMillis() / 10);
      timer =
          vertx.setTimer(
              pause,
              due -> {
                sweep();
                watch();
              });
    }
  }

  void close() {
    closed = true;
    vertx.cancelTimer(timer);
  }

  void opened(HttpConnection connection) {
    if (connection instanceof HttpServerConnection server) {
      removeIdleTimeout(server.channelHandlerContext().pipeline());
    }
    working.put(connection, new HashSet<>(2));
    connection.closeHandler(gone -> closed(connection));
    peersTurn(connection);
    makeRoom();
  }

  /** A request has come in: the agent's turn. */
  void began(HttpServerRequest request) {
    agentsTurn(request);
    if (request.version() == HttpVersion.HTTP_2) {
      streams++;
      request.response().closeHandler(gone -> ended(request));
      makeRoom();
    }
  }

  /** The peer has to do something now: send, or read. */
  void peersTurn(HttpServerRequest request) {
    HttpConnection connection = request.connection();
    Set<Integer> own = working.get(connection);
    if (own != null) {
      own.remove(request.streamId());
      if (own.isEmpty()) {
        peersTurn(connection);
      }
    }
  }

  /** The agent has all that it needs, and works. */
  void agentsTurn(HttpServerRequest request) {
    Set<Integer> own = working.get(request.connection());
    if (own != null && !request.response().closed()) {
      own.add(request.streamId());
      waiting.remove(request.connection());
    }
  }

  private void peersTurn(HttpConnection connection) {
    waiting.remove(connection);
    waiting.put(connection, clock.getAsLong());
  }

  /** The stream of a request is closed, be it that the peer has cancelled it. */
  private void ended(HttpServerRequest request) {
    streams--;
    peersTurn(request);
  }

  private void closed(HttpConnection connection) {
    working.remove(connection);
    waiting.remove(connection);
  }

  private void makeRoom() {
    Iterator<HttpConnection> oldest = waiting.keySet().iterator();
    if (working.size() + streams > max && oldest.hasNext()) {
      HttpConnection idlest = oldest.next();
      oldest.remove();
      idlest.close();
    }
  }

  /** Closes those whose time is up. */
  void sweep() {
    long now = clock.getAsLong();
    // Ordered by the time since when they wait, so the first patient one ends the search.
    Iterator<Map.Entry<HttpConnection, Long>> oldest = waiting.entrySet().iterator();
    while (oldest.hasNext()) {
      Map.Entry<HttpConnection, Long> entry = oldest.next();
      if (now - entry.getValue() < patience.toNanos()) {
        break;
      }
      oldest.remove();
      entry.getKey().close();
    }
  }

  /**
   * The server has one with TLS, because it tells of an HTTP/2 connection only when the peer has
   * sent its settings, which some never do.
   */
  private static void removeIdleTimeout(ChannelPipeline pipeline) {
    if (pipeline.get(IDLE_TIMEOUT) != null) {
      pipeline.remove(IDLE_TIMEOUT);
    }
  }
}
