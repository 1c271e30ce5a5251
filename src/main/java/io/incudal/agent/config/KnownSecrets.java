package io.incudal.agent.config;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * Every secret that the agent was ever told, so that others can keep it out of what they write;
 * what a token file held before stays secret. Thread-safe.
 */
public final class KnownSecrets {
  private final Optional<Path> file;
  private FileTime read = FileTime.fromMillis(0);
  private volatile List<Secret> known;

  /** Looks at the token file at once. */
  public KnownSecrets(AgentConfig config) {
    Optional<TokenConfig> token = config.node().map(NodeConfig::token);
    file = token.flatMap(TokenConfig::file);
    known =
        Stream.of(
                token.flatMap(TokenConfig::value),
                token.flatMap(TokenConfig::previous),
                config.node().flatMap(NodeConfig::jwt).flatMap(KnownSecrets::shared),
                config.panel().map(PanelConfig::agentSecret))
            .flatMap(Optional::stream)
            .toList();
    refreshed();
  }

  /** Those that are known by now; never blocks. */
  public List<Secret> known() {
    return known;
  }

  /** The same after a look at the token file. */
  public synchronized List<Secret> refreshed() {
    file.ifPresent(this::look);
    return known;
  }

  private static Optional<Secret> shared(JwtConfig jwt) {
    return jwt.keys() instanceof JwtConfig.SharedSecret shared
        ? Optional.of(shared.secret())
        : Optional.empty();
  }

  private void look(Path token) {
    try {
      FileTime modified = Files.getLastModifiedTime(token);
      if (!modified.equals(read)) {
        Secret held = TokenText.parse(Files.readString(token));
        known = Stream.concat(known.stream(), Stream.of(held)).distinct().toList();
        read = modified;
      }
    } catch (IOException | IllegalArgumentException unusable) {
      // Then it is no token either; who authenticates by it says so in the log.
    }
  }
}
