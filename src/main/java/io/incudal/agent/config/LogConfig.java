package io.incudal.agent.config;

/** How log lines look, and from which level on they are written. */
public record LogConfig(Format format, String level) {
  /** One line an event, for people or for machines. */
  public enum Format {
    TEXT,
    JSON
  }
}
