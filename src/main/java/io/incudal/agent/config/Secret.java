package io.incudal.agent.config;

import java.nio.charset.StandardCharsets;

/** A token or key. Its text is {@code ***} wherever it might be printed. */
public record Secret(String value) {
  public byte[] bytes() {
    return value.getBytes(StandardCharsets.UTF_8);
  }

  @Override
  public String toString() {
    return "***";
  }
}
