package io.incudal.agent.api;

import io.vertx.core.Vertx;
import io.vertx.core.http.HttpConnection;
import java.time.Duration;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.LongSupplier;

/**
 * Bounds how many connections there are, and how long each may keep the agent waiting: for a
 * request, for its body, for room to write the answer. While the agent itself works, for hours if
 * need be, no clock runs; this is why the server's own idle timeout is off.
 *
 * <p>On the event loop. When there are too many, the one that has kept the agent waiting longest
 * goes, so that idle ones cannot shut out a Control Plane.
 */
final class Connections {
  private final Vertx vertx;
  private final LongSupplier clock;
  private final int max;
  private final Duration patience;
  private final Map<HttpConnection, Long> waiting = new LinkedHashMap<>();
  private int open;
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
    open++;
    connection.closeHandler(gone -> closed(connection));
    peersTurn(connection);
    if (open > max) {
      waiting.keySet().iterator().next().close();
    }
  }

  /** The peer has to do something now: send, or read. */
  void peersTurn(HttpConnection connection) {
    waiting.remove(connection);
    waiting.put(connection, clock.getAsLong());
  }

  /** The agent has all that it needs, and works. */
  void agentsTurn(HttpConnection connection) {
    waiting.remove(connection);
  }

  private void closed(HttpConnection connection) {
    open--;
    waiting.remove(connection);
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
}
