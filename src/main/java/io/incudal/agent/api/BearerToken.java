package io.incudal.agent.api;

import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpServerRequest;
import java.util.List;
import java.util.Optional;

/** Finds the token of a request. */
final class BearerToken {
  private static final String SCHEME = "Bearer ";

  private BearerToken() {}

  /** The token of the one {@code Authorization} header; empty when there is none, or several. */
  static Optional<String> of(HttpServerRequest request) {
    List<String> headers = request.headers().getAll(HttpHeaders.AUTHORIZATION);
    if (headers.size() != 1) {
      return Optional.empty();
    }
    String header = headers.get(0);
    if (!header.regionMatches(true, 0, SCHEME, 0, SCHEME.length())) {
      return Optional.empty();
    }
    String token = header.substring(SCHEME.length());
    return token.isBlank() ? Optional.empty() : Optional.of(token);
  }
}
