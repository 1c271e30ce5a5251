package io.incudal.agent.auth;

import io.incudal.agent.config.JwtConfig;
import java.math.BigDecimal;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * What a token has to say to be good for this agent, and what it then may do. Immutable.
 *
 * <p>A token without {@code exp} would be good for ever. One without {@code sub} names nobody who
 * answers for what was done, which is what the audit log is for; RFC 9068 wants both as well.
 */
final class JwtClaims {
  /** OpenID Connect Core, 2: at most 255 ASCII characters. */
  private static final Pattern SUBJECT = Pattern.compile("[!-~](?:[ -~]{0,253}[!-~])?");

  /** The year 9999: later ones are no times but attacks on arithmetic. */
  private static final BigDecimal END_OF_TIME = BigDecimal.valueOf(253_402_300_799L);

  private final JwtConfig config;
  private final InstantSource clock;

  JwtClaims(JwtConfig config, InstantSource clock) {
    this.config = config;
    this.clock = clock;
  }

  /**
   * @param end from when on it is granted no more
   */
  record Grant(Access access, Instant end) {}

  /**
   * What the claims grant, if they can be believed.
   *
   * @throws IllegalArgumentException when they grant nothing; says which claim is why
   */
  Grant judge(Map<String, Object> claims) {
    BigDecimal now = BigDecimal.valueOf(clock.millis(), 3);
    BigDecimal early = now.subtract(BigDecimal.valueOf(config.leeway().toSeconds()));
    BigDecimal late = now.add(BigDecimal.valueOf(config.leeway().toSeconds()));
    require(config.issuer().equals(claims.get("iss")), "iss");
    require(strings(claims, "aud").anyMatch(config.audience()::equals), "aud");
    BigDecimal end = time(claims, "exp").orElse(BigDecimal.ZERO);
    require(end.compareTo(early) > 0, "exp");
    require(time(claims, "nbf").map(begin -> begin.compareTo(late) <= 0).orElse(true), "nbf");
    require(time(claims, "iat").map(made -> made.compareTo(late) <= 0).orElse(true), "iat");
    String subject = JwtToken.string(claims, "sub").orElse("");
    require(SUBJECT.matcher(subject).matches(), "sub");
    return new Grant(
        new Access.Granted(Optional.of(subject), Optional.of(scopes(claims))),
        Instant.ofEpochSecond(end.longValue()).plus(config.leeway()));
  }

  /** RFC 9068 has {@code scope}, words in one string; others have {@code scp}, or a list. */
  private static Set<String> scopes(Map<String, Object> claims) {
    return Stream.of("scope", "scp")
        .flatMap(name -> strings(claims, name))
        .flatMap(words -> Arrays.stream(words.split(" ")))
        .collect(Collectors.toUnmodifiableSet());
  }

  /** Of a string or a list of strings; none when there is no such claim. */
  private static Stream<String> strings(Map<String, Object> claims, String name) {
    if (!claims.containsKey(name)) {
      return Stream.empty();
    }
    List<?> values =
        claims.get(name) instanceof List<?> list ? list : Arrays.asList(claims.get(name));
    require(values.stream().allMatch(String.class::isInstance), name);
    return values.stream().map(String.class::cast);
  }

  /** Seconds since 1970, perhaps with a fraction. */
  private static Optional<BigDecimal> time(Map<String, Object> claims, String name) {
    if (!claims.containsKey(name)) {
      return Optional.empty();
    }
    require(claims.get(name) instanceof Number, name);
    var seconds = new BigDecimal(claims.get(name).toString());
    require(seconds.signum() >= 0 && seconds.compareTo(END_OF_TIME) <= 0, name);
    return Optional.of(seconds);
  }

  static void require(boolean holds, String what) {
    if (!holds) {
      throw new IllegalArgumentException(what);
    }
  }
}
