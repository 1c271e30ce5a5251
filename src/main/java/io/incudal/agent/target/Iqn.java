package io.incudal.agent.target;

import io.incudal.agent.bus.AgentException;
import io.incudal.agent.bus.ErrorCode;
import java.util.regex.Pattern;

/** A target name under the agent's base, in its canonical, lower-cased form. */
public record Iqn(String value) {
  private static final int MAX_BYTES = 223;
  private static final Pattern SUFFIX = Pattern.compile("[a-z0-9.:-]+");

  /**
   * Reads a name as a client sent it.
   *
   * @param base the agent's base, lower-cased, without a colon at its end
   * @throws AgentException {@link ErrorCode#IQN_BASE_MISMATCH} or {@link ErrorCode#INVALID_IQN}
   */
  public static Iqn parse(String base, String sent) {
    String name = lowerCaseAscii(sent);
    if (!name.startsWith(base + ":")) {
      throw new AgentException(ErrorCode.IQN_BASE_MISMATCH, "iqn base mismatch")
          .with("expected_prefix", base + ":");
    }
    if (!SUFFIX.matcher(name.substring(base.length() + 1)).matches()) {
      throw new AgentException(
          ErrorCode.INVALID_IQN,
          "the part of the iqn after '"
              + base
              + ":' may hold only letters, digits, '.', ':' and"
              + " '-', and at least one of them");
    }
    if (name.length() > MAX_BYTES) {
      throw new AgentException(
          ErrorCode.INVALID_IQN, "the iqn is longer than " + MAX_BYTES + " bytes");
    }
    return new Iqn(name);
  }

  /** Folds A–Z only: other letters stay as they are, and are refused later. */
  public static String lowerCaseAscii(String text) {
    var folded = new StringBuilder(text.length());
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      folded.append(c >= 'A' && c <= 'Z' ? (char) (c + ('a' - 'A')) : c);
    }
    return folded.toString();
  }

  /** The part after {@code base:}. */
  public String suffix(String base) {
    return value.substring(base.length() + 1);
  }

  @Override
  public String toString() {
    return value;
  }
}
