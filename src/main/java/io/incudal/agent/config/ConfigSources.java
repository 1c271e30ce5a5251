package io.incudal.agent.config;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;

/**
 * Where settings come from, besides the built-in defaults; each overrides those before it.
 *
 * @param file YAML; has to be readable when it is named
 * @param dotenv looked at when it is a regular file
 * @param environment of the process
 */
public record ConfigSources(Optional<Path> file, Path dotenv, Map<String, String> environment) {
  private static final Path DEFAULT_FILE = Path.of("/etc/incudal-agent/config.yaml");

  public ConfigSources {
    environment = Map.copyOf(environment);
  }

  /**
   * Those of this process.
   *
   * @param named on the command line
   */
  public static ConfigSources ofProcess(Optional<Path> named) {
    Optional<Path> file =
        named.or(() -> Optional.of(DEFAULT_FILE).filter(Files::exists)).map(Path::toAbsolutePath);
    return new ConfigSources(file, Path.of(".env").toAbsolutePath(), System.getenv());
  }
}
