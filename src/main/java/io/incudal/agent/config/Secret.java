package io.incudal.agent.config;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.regex.Pattern;

/** A token or key. Its text is {@code ***} wherever it might be printed. */
public record Secret(String value) {
  private static final String MASK = "***";

  /**
   * A signed JWT, which the agent does not know and which is a secret wherever it stands. Begins
   * where a word does, so that a long text is read once.
   */
  private static final Pattern JWT = Pattern.compile("(?<![\\w-])eyJ[\\w-]+\\.[\\w-]+\\.[\\w-]+");

  /** The text without these secrets, and without anything that looks like a signed JWT. */
  public static String mask(String text, List<Secret> secrets) {
    String shown = text;
    for (Secret secret : secrets) {
      shown = shown.replace(secret.value, MASK);
    }
    return shown.contains("eyJ") ? JWT.matcher(shown).replaceAll(MASK) : shown;
  }

  public byte[] bytes() {
    return value.getBytes(StandardCharsets.UTF_8);
  }

  @Override
  public String toString() {
    return MASK;
  }
}
