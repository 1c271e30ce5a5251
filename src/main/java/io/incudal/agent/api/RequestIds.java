package io.incudal.agent.api;

import io.vertx.core.http.HttpServerRequest;
import java.security.SecureRandom;
import java.util.HexFormat;
import java.util.function.Predicate;

/**
 * Gives every request its id: the caller's own when it is fit for headers and logs, otherwise a new
 * one. New ones are unique rather than unguessable, which keeps randomness off the hot path.
 */
final class RequestIds {
  static final String HEADER = "X-Request-Id";
  private static final int MAX_LENGTH = 128;

  private final String prefix;
  private final Predicate<String> secret;
  private long count;

  /**
   * @param secret what must not be taken over, because an id goes to the log
   */
  RequestIds(Predicate<String> secret) {
    this.secret = secret;
    byte[] random = new byte[4];
    new SecureRandom().nextBytes(random);
    this.prefix = HexFormat.of().formatHex(random) + "-";
  }

  String of(HttpServerRequest request) {
    String sent = request.getHeader(HEADER);
    if (sent != null && isPrintable(sent) && !secret.test(sent)) {
      return sent;
    }
    count++;
    return prefix + Long.toString(count, Character.MAX_RADIX);
  }

  private static boolean isPrintable(String text) {
    return !text.isEmpty()
        && text.length() <= MAX_LENGTH
        && text.chars().allMatch(c -> c >= ' ' && c <= '~');
  }
}
