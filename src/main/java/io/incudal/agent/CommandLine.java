package io.incudal.agent;

import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.Optional;

/**
 * What the agent was started for.
 *
 * @param file the configuration file that was named
 */
record CommandLine(Mode mode, Optional<Path> file) {
  static final String USAGE =
      """
      incudal-agent: storage-node agent for diskless, iPXE-booted fleets

        incudal-agent [--config FILE]          run
        incudal-agent [--config FILE] --once   send one heartbeat, print what came of it, and exit
        incudal-agent --version                print the version
        incudal-agent --help                   print this

      Settings come from the YAML file (default: /etc/incudal-agent/config.yaml), .env in the working
      directory and the environment, and the last one wins: NAME (key in YAML) [default]
      """;

  /** Exactly one of them. */
  enum Mode {
    RUN,
    ONCE,
    /** What an upgrade starts for itself, and nobody types. */
    WATCH_UPGRADE,
    VERSION,
    HELP
  }

  /**
   * Options begin with one hyphen or two.
   *
   * @throws IllegalArgumentException with a message for who typed it
   */
  static CommandLine parse(String... arguments) {
    Mode mode = Mode.RUN;
    Optional<Path> file = Optional.empty();
    for (int i = 0; i < arguments.length; i++) {
      String argument = arguments[i];
      switch (argument.startsWith("--") ? argument.substring(1) : argument) {
        case "-once" -> mode = Mode.ONCE;
        case "-version" -> mode = Mode.VERSION;
        case "-help", "-h" -> mode = Mode.HELP;
        case "watch-upgrade" -> mode = Mode.WATCH_UPGRADE;
        case "-config" -> {
          if (++i == arguments.length) {
            throw new IllegalArgumentException(argument + " needs a file");
          }
          file = Optional.of(path(arguments[i]));
        }
        default -> throw new IllegalArgumentException("unknown argument: " + argument);
      }
    }
    return new CommandLine(mode, file);
  }

  private static Path path(String text) {
    try {
      return Path.of(text);
    } catch (InvalidPathException unusable) {
      throw new IllegalArgumentException("--config needs the path of a file", unusable);
    }
  }
}
