package io.incudal.agent.config;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * Builds the record of the JWT settings, which one of the three keys turns on. Issuer and audience
 * are needed: a key may sign for several issuers, and an issuer makes tokens for other services,
 * whose holders have no business here.
 */
final class JwtBinding {
  private static final String NAMES = "IPXE_JWT_PUBLIC_KEY_FILE, IPXE_JWT_JWKS or IPXE_JWT_SECRET";

  private final NodeSettings node;
  private final RawConfig raw;
  private final Binder binder;

  JwtBinding(NodeSettings node, RawConfig raw, Binder binder) {
    this.node = node;
    this.raw = raw;
    this.binder = binder;
  }

  Optional<JwtConfig> bind() {
    List<Setting<?>> given = keys().filter(this::isGiven).toList();
    if (given.isEmpty()) {
      Stream.of(node.jwtIssuer, node.jwtAudience, node.jwtLeeway, node.jwtRefresh)
          .filter(this::isGiven)
          .forEach(setting -> binder.problem(setting.name() + ": means nothing without " + NAMES));
      return Optional.empty();
    }
    given.stream()
        .skip(1)
        .forEach(
            other ->
                binder.problem(
                    other.name()
                        + ": is set beside "
                        + given.get(0).name()
                        + "; keep one of them"));
    JwtConfig.KeySource keys =
        binder
            .optional(node.jwtPublicKeyFile)
            .<JwtConfig.KeySource>map(JwtConfig.PublicKeyFile::new)
            .or(() -> binder.optional(node.jwtJwks))
            .or(() -> binder.optional(node.jwtSecret).map(JwtConfig.SharedSecret::new))
            .orElse(null);
    checkFile(keys);
    return Optional.of(
        new JwtConfig(
            keys,
            binder.required(node.jwtIssuer),
            binder.required(node.jwtAudience),
            binder.required(node.jwtLeeway),
            binder.required(node.jwtRefresh)));
  }

  private Stream<Setting<?>> keys() {
    return Stream.of(node.jwtPublicKeyFile, node.jwtJwks, node.jwtSecret);
  }

  private boolean isGiven(Setting<?> setting) {
    return raw.find(setting).isPresent();
  }

  private void checkFile(JwtConfig.KeySource keys) {
    if (keys instanceof JwtConfig.PublicKeyFile pem) {
      checkFile(node.jwtPublicKeyFile, pem.file());
    } else if (keys instanceof JwtConfig.JwksFile jwks) {
      checkFile(node.jwtJwks, jwks.file());
    }
  }

  private void checkFile(Setting<?> setting, Path file) {
    if (!Files.isRegularFile(file) || !Files.isReadable(file)) {
      binder.problem(setting.name() + ": the file cannot be read");
    }
  }
}
