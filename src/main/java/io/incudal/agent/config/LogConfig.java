package io.incudal.agent.config;

import java.nio.file.Path;
import java.util.Optional;

/**
 * How log lines look, and from which level on they are written.
 *
 * @param levelsFile levels of single loggers, read again when it changes; need not be there
 */
public record LogConfig(Format format, String level, Optional<Path> levelsFile) {
  /** One line an event, for people or for machines. */
  public enum Format {
    TEXT,
    JSON
  }
}
