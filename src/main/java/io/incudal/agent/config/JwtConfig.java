package io.incudal.agent.config;

import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;

/**
 * Who makes JWTs for this agent, and how they are judged.
 *
 * @param issuer what {@code iss} has to be
 * @param audience what has to be in {@code aud}
 * @param leeway how far the issuer's clock and this one may be apart
 * @param refresh time from one look at a {@link JwksUrl} to the next
 */
public record JwtConfig(
    KeySource keys, String issuer, String audience, Duration leeway, Duration refresh) {

  /** Where the keys are that tokens are verified with. */
  public sealed interface KeySource {}

  /** The key of HS256, which the issuer has as well: the bytes of the text as it stands. */
  public record SharedSecret(Secret secret) implements KeySource {}

  /** A public key or a certificate, PEM; read again when it changes. */
  public record PublicKeyFile(Path file) implements KeySource {}

  /** RFC 7517; read again when it changes. */
  public record JwksFile(Path file) implements KeySource {}

  /** The same at the issuer: https, or http to a loopback address. */
  public record JwksUrl(URI url) implements KeySource {}
}
