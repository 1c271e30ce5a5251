package io.incudal.agent.api;

import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpConnection;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpServerResponse;
import io.vertx.core.http.HttpVersion;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;

/**
 * Writes answers, good and bad ones, and leaves the connection in a state that is sure: usable for
 * the next request, or closed.
 *
 * <p>On the event loop. A large answer goes out slice by slice, as fast as the peer takes it, so
 * that a slow one costs one slice and not the whole answer a second time.
 */
final class Replies {
  private static final int SLICE = 64 * 1024;

  /** Of HTTP/2: the answer is whole, and the rest of the request is not needed. */
  private static final long NO_ERROR = 0;

  private static final long LINGER_MILLIS = 10_000;
  private static final CharSequence NO_STORE = HttpHeaders.createOptimized("no-store");

  private final Vertx vertx;
  private final Connections connections;

  Replies(Vertx vertx, Connections connections) {
    this.vertx = vertx;
    this.connections = connections;
  }

  /** Completes when the answer has left, fails when it could not. */
  Future<Void> send(HttpServerRequest request, int status, Payload payload) {
    HttpServerResponse response = request.response();
    response
        .setStatusCode(status)
        .putHeader(HttpHeaders.CONTENT_TYPE, payload.type())
        .putHeader(HttpHeaders.CACHE_CONTROL, NO_STORE);
    boolean tooMuch =
        request.decoderResult().isSuccess()
            && !request.isEnded()
            && BodyReader.isUnbounded(request);
    if (tooMuch && request.version() == HttpVersion.HTTP_2) {
      return write(request, payload).onSuccess(sent -> response.reset(NO_ERROR));
    }
    if (tooMuch) {
      closeSoon(request);
    }
    return write(request, payload);
  }

  private Future<Void> write(HttpServerRequest request, Payload payload) {
    HttpServerResponse response = request.response();
    connections.peersTurn(request);
    if (request.method().equals(HttpMethod.HEAD)) {
      return response
          .putHeader(HttpHeaders.CONTENT_LENGTH, Integer.toString(payload.length()))
          .end();
    }
    if (payload.parts().size() == 1 && payload.length() <= SLICE) {
      return response.end(payload.parts().get(0));
    }
    response.putHeader(HttpHeaders.CONTENT_LENGTH, Integer.toString(payload.length()));
    return write(request, slices(payload).iterator());
  }

  private Future<Void> write(HttpServerRequest request, Iterator<Buffer> slices) {
    HttpServerResponse response = request.response();
    Buffer slice = slices.next();
    if (!slices.hasNext()) {
      return response.end(slice);
    }
    return response
        .write(slice)
        .compose(
            taken -> {
              connections.peersTurn(request);
              return write(request, slices);
            });
  }

  private static List<Buffer> slices(Payload payload) {
    List<Buffer> slices = new ArrayList<>();
    for (Buffer part : payload.parts()) {
      for (int from = 0; from < part.length(); from += SLICE) {
        slices.add(part.slice(from, Math.min(from + SLICE, part.length())));
      }
    }
    return slices;
  }

  /**
   * What is left of the body is read and dropped for a moment. To close at once would make the
   * peer's system throw away the answer, which it has not read because it is still sending.
   */
  private void closeSoon(HttpServerRequest request) {
    HttpConnection connection = request.connection();
    request.response().putHeader(HttpHeaders.CONNECTION, HttpHeaders.CLOSE);
    request
        .handler(dropped -> {})
        .exceptionHandler(gone -> {})
        .endHandler(end -> connection.close());
    vertx.setTimer(LINGER_MILLIS, due -> connection.close());
  }
}
