package io.incudal.agent.image;

import io.incudal.agent.bus.AgentException;
import io.incudal.agent.bus.ErrorCode;
import java.nio.charset.StandardCharsets;
import java.util.Locale;

/** A plain file name inside the image directory, fit to be one argument of a back end's tool. */
public record ImageName(String value) {
  private static final int MAX_BYTES = 255;
  private static final String MASTER_MARK = "_tpl_";

  /**
   * Reads a name as a client sent it.
   *
   * @throws AgentException {@link ErrorCode#INVALID_FILENAME}
   */
  public static ImageName parse(String sent) {
    String fault = fault(sent);
    if (fault != null) {
      throw new AgentException(ErrorCode.INVALID_FILENAME, "the file name " + fault);
    }
    return new ImageName(sent);
  }

  private static String fault(String name) {
    if (name.isEmpty() || name.startsWith(".")) {
      return "is empty or begins with '.'";
    }
    if (name.indexOf('/') >= 0) {
      return "holds '/': name a file of the image directory itself";
    }
    if (name.codePoints().anyMatch(c -> Character.isISOControl(c) || c == 0x2028 || c == 0x2029)) {
      return "holds a control character";
    }
    if (!StandardCharsets.UTF_8.newEncoder().canEncode(name)) {
      return "is no valid Unicode";
    }
    if (name.getBytes(StandardCharsets.UTF_8).length > MAX_BYTES) {
      return "is longer than " + MAX_BYTES + " bytes";
    }
    return null;
  }

  /** Whether files of this name are master images, which no scan exports. */
  public boolean isMaster() {
    return value.contains(MASTER_MARK);
  }

  public boolean isDisk() {
    return folded().endsWith(".img");
  }

  public boolean isIso() {
    return folded().endsWith(".iso");
  }

  /** Two names with the same folded form would have one IQN. */
  public String folded() {
    return value.toLowerCase(Locale.ROOT);
  }

  @Override
  public String toString() {
    return value;
  }
}
