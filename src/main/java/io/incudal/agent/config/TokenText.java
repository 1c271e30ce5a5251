package io.incudal.agent.config;

import java.util.regex.Pattern;

/**
 * What may be a bearer token: what a header can carry, and what nobody has copied from an example.
 */
public final class TokenText {
  static final Format<Secret> FORMAT = new Format<>(false, TokenText::parse);

  private static final Pattern PRINTABLE = Pattern.compile("[!-~]+");
  private static final Pattern PLACEHOLDER =
      Pattern.compile(
          "(?:change|replace)[-_ ]?(?:me|this|it).*|your[-_ ].*|<.*>|x{3,}|todo|placeholder.*"
              + "|example.*|token|secret|password|none|null",
          Pattern.CASE_INSENSITIVE);

  private TokenText() {}

  /**
   * Reads a token, or the content of a token file, whose line end is no part of it.
   *
   * @throws IllegalArgumentException with a message that holds no part of the text
   */
  public static Secret parse(String text) {
    String token = text.strip();
    Formats.require(!token.isEmpty(), "is missing or blank");
    Formats.require(
        PRINTABLE.matcher(token).matches(),
        "may hold only printable ASCII characters, and no blanks");
    Formats.require(
        !PLACEHOLDER.matcher(token).matches(),
        "is the placeholder of an example; make one with: openssl rand -hex 32");
    return new Secret(token);
  }
}
