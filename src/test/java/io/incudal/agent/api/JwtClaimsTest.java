package io.incudal.agent.api;

import static org.junit.jupiter.params.provider.Arguments.arguments;

import io.incudal.agent.config.JwtConfig;
import io.incudal.agent.config.Secret;
import io.vertx.core.Vertx;
import io.vertx.core.json.JsonObject;
import io.vertx.junit5.VertxExtension;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.FieldSource;
import org.junit.jupiter.params.provider.MethodSource;

/** Tokens whose signature is good, and what they have to say. */
@ExtendWith(VertxExtension.class)
class JwtClaimsTest {
  private static final Secret SECRET = new Secret("0123456789abcdef0123456789abcdef");
  private static final Object ABSENT = new Object();
  private static final long NOW = System.currentTimeMillis() / 1000;

  private static JwtServer server;

  @BeforeAll
  static void start(Vertx vertx) {
    server = JwtServer.start(vertx, new JwtConfig.SharedSecret(SECRET));
  }

  static Stream<Arguments> bad() {
    return Stream.of(
            bad("iss", "https://evil.example.com", Issuer.NAME + "/", "", 1, null, ABSENT),
            bad("aud", "another", Issuer.AUDIENCE + " ", "", 1, null, ABSENT, List.of()),
            bad("aud", List.of("another"), List.of(Issuer.AUDIENCE, 1), Map.of("a", "b")),
            bad("exp", NOW - 31, NOW - 31.5, 0, -1, "9999999999", null, ABSENT, List.of(NOW + 9)),
            bad("exp", 1e300, -1e300, 1e12, Long.MAX_VALUE, true),
            bad("nbf", NOW + 60, NOW + 60.5, "0", -1, 1e300, null, List.of()),
            bad("iat", NOW + 60, "0", -1, 1e300, null, false),
            bad("sub", "", " ", " a", "a ", "a\nb", "a\u0000", "\u202eroot", "\u00e4", ABSENT),
            bad("sub", 1, true, null, List.of("a"), "x".repeat(256)),
            bad("scope", 1, null, Map.of("lun:read", true), List.of(1)),
            bad("scp", 1, null, true))
        .flatMap(List::stream);
  }

  private static List<Arguments> bad(String claim, Object... values) {
    return Arrays.stream(values).map(value -> arguments(claim, value)).toList();
  }

  @ParameterizedTest
  @MethodSource("bad")
  void refuses(String claim, Object value) {
    server.assertRefused(claim, signed(with(claim, value).encode()));
  }

  @ParameterizedTest
  @CsvSource({
    "exp,1e999999999",
    "exp,1E-999999999",
    "exp,-0.0",
    "exp,99999999999999999999999999999",
    "nbf,1e999999999",
    "iat,1e999999999",
    "iat,-1e999999999"
  })
  void refusesTimesThatArithmeticWouldTakeForeverFor(String claim, String number) {
    String claims = with(claim, "here").encode().replace("\"here\"", number);
    server.assertRefused(claim, signed(claims));
  }

  static final List<JsonObject> GOOD =
      List.of(
          with("exp", NOW - 1),
          with("exp", NOW + 100.5),
          with("nbf", NOW + 25),
          with("nbf", ABSENT),
          with("iat", NOW + 25.5),
          with("iat", ABSENT),
          with("aud", List.of("another", Issuer.AUDIENCE)),
          with("sub", "x".repeat(255)),
          with("sub", "CN=control plane, O=\"x\\y\""),
          with("scope", "  lun:read  unknown "),
          with("scope", List.of("openid", "lun:read")),
          with("scope", ABSENT).put("scp", List.of("lun:read")),
          with("scope", ABSENT).put("scp", "lun:read email"),
          with("scope", "openid").put("scp", List.of("lun:read")),
          with("realm_access", Map.of("roles", List.of("a"))).put("x", 1e300));

  @ParameterizedTest
  @FieldSource("GOOD")
  void takes(JsonObject claims) {
    server.assertGood(signed(claims.encode()));
  }

  private static JsonObject with(String claim, Object value) {
    JsonObject claims = Issuer.claims();
    if (value == ABSENT) {
      claims.remove(claim);
      return claims;
    }
    return claims.put(claim, value);
  }

  private static String signed(String claims) {
    return Issuer.shared(Issuer.header("HS256"), claims, SECRET.bytes());
  }
}
