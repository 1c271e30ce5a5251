package io.incudal.agent.api;

import io.incudal.agent.bus.AgentException;
import io.incudal.agent.bus.ErrorCode;
import io.incudal.agent.support.StrictJson;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpVersion;
import java.util.Map;

/**
 * Reads small bodies. What is too large is refused by its length before a byte of it is read, or
 * dropped as it comes; never kept. Vert.x's own body handler would also parse forms, and has no
 * notion of a peer that is slow.
 */
final class BodyReader {
  private static final int LIMIT = 64 * 1024;
  private static final int MAX_DIGITS = 15;

  private final Connections connections;

  BodyReader(Connections connections) {
    this.connections = connections;
  }

  /**
   * The members of the one JSON object that the body is, whatever its {@code Content-Type} says:
   * deployed clients send all kinds.
   */
  Future<Map<String, Object>> object(HttpServerRequest request) {
    return read(request).map(BodyReader::parse);
  }

  private static Map<String, Object> parse(Buffer body) {
    try {
      return StrictJson.parse(body);
    } catch (IllegalArgumentException broken) {
      throw new AgentException(
          ErrorCode.INVALID_BODY, "the body " + broken.getMessage() + "; send one JSON object");
    }
  }

  /** The whole body, empty when there is none. */
  Future<Buffer> read(HttpServerRequest request) {
    if (isEncoded(request)) {
      return Future.failedFuture(
          new AgentException(
              ErrorCode.UNSUPPORTED_MEDIA_TYPE, "send plain JSON, without a Content-Encoding"));
    }
    if (declaredLength(request) > LIMIT) {
      return Future.failedFuture(tooLarge());
    }
    Promise<Buffer> whole = Promise.promise();
    Buffer body = Buffer.buffer();
    connections.peersTurn(request);
    request
        .handler(chunk -> append(body, chunk, whole))
        .exceptionHandler(broken -> whole.tryFail(unreadable(broken)))
        .endHandler(
            end -> {
              connections.agentsTurn(request);
              whole.tryComplete(body);
            });
    if (expectsContinue(request)) {
      request.response().writeContinue();
    }
    return whole.future();
  }

  /** Whether more may come than the agent reads; nobody is to wait for its end then. */
  static boolean isUnbounded(HttpServerRequest request) {
    return declaredLength(request) > LIMIT
        || (request.version() == HttpVersion.HTTP_2
            ? !request.headers().contains(HttpHeaders.CONTENT_LENGTH)
            : request.headers().contains(HttpHeaders.TRANSFER_ENCODING))
        || expectsContinue(request);
  }

  private static void append(Buffer body, Buffer chunk, Promise<Buffer> whole) {
    if (body.length() + chunk.length() <= LIMIT) {
      body.appendBuffer(chunk);
    } else {
      whole.tryFail(tooLarge());
    }
  }

  /** It ends the connection as well, so that this is for the log rather than for the peer. */
  private static AgentException unreadable(Throwable broken) {
    return new AgentException(
        ErrorCode.MALFORMED_REQUEST, "the body broke off, or is not valid HTTP", broken);
  }

  private static AgentException tooLarge() {
    return new AgentException(
        ErrorCode.BODY_TOO_LARGE, "the body is larger than " + LIMIT / 1024 + " KiB");
  }

  private static long declaredLength(HttpServerRequest request) {
    String length = request.getHeader(HttpHeaders.CONTENT_LENGTH);
    if (length == null) {
      return 0;
    }
    // The decoder lets only digits through; so many of them are too large in any case.
    return length.length() <= MAX_DIGITS ? Long.parseLong(length) : Long.MAX_VALUE;
  }

  private static boolean isEncoded(HttpServerRequest request) {
    String encoding = request.getHeader(HttpHeaders.CONTENT_ENCODING);
    return encoding != null && !encoding.equalsIgnoreCase("identity");
  }

  private static boolean expectsContinue(HttpServerRequest request) {
    return request.version() != HttpVersion.HTTP_1_0
        && "100-continue".equalsIgnoreCase(request.getHeader(HttpHeaders.EXPECT));
  }
}
