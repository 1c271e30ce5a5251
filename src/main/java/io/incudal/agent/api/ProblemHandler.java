package io.incudal.agent.api;

import io.incudal.agent.bus.AgentException;
import io.incudal.agent.bus.ErrorCode;
import io.netty.handler.codec.http.TooLongHttpHeaderException;
import io.netty.handler.codec.http.TooLongHttpLineException;
import io.vertx.core.Future;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpServerResponse;
import io.vertx.ext.web.RoutingContext;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The only place that writes an error body. Whoever has shown no token is told that and nothing
 * else, whatever else is wrong with the request.
 *
 * <p>On the event loop. Logs what nobody expected; never shows it.
 */
final class ProblemHandler {
  private static final Logger LOG = LoggerFactory.getLogger(ProblemHandler.class);

  /** For the log: the client had hung up. */
  static final int NOBODY = 499;

  private static final String SCOPE = "scope";

  private static final CharSequence SOON = HttpHeaders.createOptimized("1");
  private static final CharSequence LATER = HttpHeaders.createOptimized("5");

  private final Contract contract;
  private final Replies replies;

  ProblemHandler(Contract contract, Replies replies) {
    this.contract = contract;
    this.replies = replies;
  }

  /**
   * Answers a request that failed in the router, or that the router knows no way for.
   *
   * @param status what the router makes of it; of no meaning when an operation failed
   * @param mayKnow whether the caller may learn more than that it is not authorized
   * @return the status that was sent
   */
  Future<Integer> answer(RoutingContext ctx, int status, boolean mayKnow) {
    HttpServerRequest request = ctx.request();
    if (request.response().headWritten() || request.response().closed()) {
      // Half an answer must not look like a whole one, and one that nobody reads is none.
      return request.response().reset().map(NOBODY).otherwise(NOBODY);
    }
    AgentException problem = mayKnow ? problem(ctx, status) : unauthorized();
    if (problem.code() == ErrorCode.METHOD_NOT_ALLOWED) {
      request.response().putHeader(HttpHeaders.ALLOW, contract.allowed(path(ctx)));
    }
    return write(replies, request, problem).map(problem.code().status()).otherwise(NOBODY);
  }

  /** Answers what is no HTTP; the connection is of no use afterwards. */
  static void malformed(Replies replies, HttpServerRequest request) {
    Throwable cause = request.decoderResult().cause();
    AgentException problem;
    if (cause instanceof TooLongHttpLineException) {
      problem = new AgentException(ErrorCode.URI_TOO_LONG, "the request line is too long");
    } else if (cause instanceof TooLongHttpHeaderException) {
      problem = new AgentException(ErrorCode.HEADERS_TOO_LARGE, "the headers are too large");
    } else {
      problem = new AgentException(ErrorCode.MALFORMED_REQUEST, "the request is not valid HTTP");
    }
    request.response().putHeader(HttpHeaders.CONNECTION, HttpHeaders.CLOSE);
    write(replies, request, problem).onComplete(done -> request.connection().close());
  }

  static AgentException unauthorized() {
    return new AgentException(ErrorCode.UNAUTHORIZED, "unauthorized");
  }

  /** Says which scope is needed, in the header too, as RFC 6750 wants it. */
  static AgentException lacking(String scope) {
    return new AgentException(ErrorCode.INSUFFICIENT_SCOPE, "the token lacks the scope " + scope)
        .with(SCOPE, scope);
  }

  private static Future<Void> write(
      Replies replies, HttpServerRequest request, AgentException problem) {
    HttpServerResponse response = request.response();
    CharSequence retryAfter = retryAfter(problem.code());
    if (retryAfter != null) {
      response.putHeader(HttpHeaders.RETRY_AFTER, retryAfter);
    }
    if (problem.code() == ErrorCode.UNAUTHORIZED) {
      response.putHeader("WWW-Authenticate", "Bearer");
    } else if (problem.code() == ErrorCode.INSUFFICIENT_SCOPE) {
      response.putHeader(
          "WWW-Authenticate",
          "Bearer error=\"insufficient_scope\", scope=\"" + problem.members().get(SCOPE) + '"');
    }
    return replies.send(
        request,
        problem.code().status(),
        new Payload("application/problem+json", List.of(Views.problem(problem))));
  }

  private AgentException problem(RoutingContext ctx, int status) {
    if (ctx.failure() instanceof AgentException known) {
      return known;
    }
    switch (status) {
      case 400:
        return new AgentException(
            ErrorCode.MALFORMED_REQUEST, "the path, the query or the Host header is not valid");
      case 404:
        return new AgentException(
            ErrorCode.NOT_FOUND, "there is no such path; GET /openapi.yaml describes all of them");
      case 405:
        return new AgentException(
            ErrorCode.METHOD_NOT_ALLOWED, "this path knows only " + contract.allowed(path(ctx)));
      default:
        LOG.error("request failed unexpectedly", ctx.failure());
        return new AgentException(
            ErrorCode.INTERNAL, "internal error; the agent's log has the details");
    }
  }

  /** As the router compares it. */
  private static String path(RoutingContext ctx) {
    String path = ctx.normalizedPath();
    return path.endsWith("/") ? path.substring(0, path.length() - 1) : path;
  }

  private static CharSequence retryAfter(ErrorCode code) {
    return switch (code) {
      case OVERLOADED -> SOON;
      case STOPPING,
          RECOVERING,
          NOT_READY,
          CONTAINER_UNAVAILABLE,
          DOCKER_UNAVAILABLE,
          BACKEND_UNAVAILABLE,
          AUDIT_UNAVAILABLE ->
          LATER;
      default -> null;
    };
  }
}
