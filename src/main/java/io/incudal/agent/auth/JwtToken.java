package io.incudal.agent.auth;

import static io.incudal.agent.auth.JwtClaims.require;

import io.incudal.agent.support.StrictJson;
import io.vertx.core.buffer.Buffer;
import java.util.Base64;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * A signed JWT as it was sent, read strictly and not yet believed: what two readers read
 * differently is an attack, and vertx-auth-jwt reads it again.
 *
 * @param algorithm the {@code alg} of its header
 * @param keyId the {@code kid} of its header
 * @param signatureLength in bytes
 */
record JwtToken(
    String text,
    String algorithm,
    Optional<String> keyId,
    Map<String, Object> claims,
    int signatureLength) {
  private static final Pattern FORM =
      Pattern.compile("([A-Za-z0-9_-]+)\\.([A-Za-z0-9_-]+)\\.([A-Za-z0-9_-]+)");

  /** Others are made for other purposes (RFC 8725, 3.11). */
  private static final Set<String> TYPES = Set.of("jwt", "at+jwt", "application/at+jwt");

  /**
   * @throws IllegalArgumentException when it is no signed JWT, or one that asks for more than this
   *     reader can do
   */
  static JwtToken parse(String text) {
    var parts = FORM.matcher(text);
    require(parts.matches(), "no jwt");
    Map<String, Object> header = json(parts.group(1));
    // Extensions that have to be understood; none is.
    require(!header.containsKey("crit"), "crit");
    require(string(header, "typ").map(type -> TYPES.contains(lower(type))).orElse(true), "typ");
    return new JwtToken(
        text,
        string(header, "alg").orElse("none"),
        string(header, "kid"),
        json(parts.group(2)),
        decode(parts.group(3)).length);
  }

  /** A member that has to be a string when it is there. */
  static Optional<String> string(Map<String, Object> members, String name) {
    if (!members.containsKey(name)) {
      return Optional.empty();
    }
    require(members.get(name) instanceof String, name);
    return Optional.of((String) members.get(name));
  }

  private static Map<String, Object> json(String part) {
    Buffer bytes = Buffer.buffer(decode(part));
    try {
      return StrictJson.parse(bytes);
    } catch (IllegalArgumentException broken) {
      throw new IllegalArgumentException("json", broken);
    }
  }

  private static byte[] decode(String part) {
    try {
      return Base64.getUrlDecoder().decode(part);
    } catch (IllegalArgumentException broken) {
      throw new IllegalArgumentException("base64", broken);
    }
  }

  private static String lower(String ascii) {
    return ascii.toLowerCase(Locale.ROOT);
  }

  @Override
  public String toString() {
    return "***";
  }
}
