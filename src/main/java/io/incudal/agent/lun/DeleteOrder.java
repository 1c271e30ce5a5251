package io.incudal.agent.lun;

import io.incudal.agent.bus.AgentException;
import io.incudal.agent.bus.ErrorCode;
import io.incudal.agent.target.Iqn;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/**
 * A deletion that was asked for, in types.
 *
 * @param force also removes a master image's file, and the file of a target that is gone
 * @param endSessions whether initiators that are logged in are cut off
 */
record DeleteOrder(Iqn iqn, boolean deleteFile, boolean force, boolean endSessions) {
  static DeleteOrder parse(Sent sent, Names names, boolean deleteInUse) {
    boolean deleteFile = flag(sent, "delete_file").orElse(false);
    boolean force = flag(sent, "force").orElse(false);
    return new DeleteOrder(names.iqn(sent), deleteFile, force, force || deleteInUse);
  }

  /** What the audit log keeps: flags as the booleans that they mean, when they mean one. */
  static Map<String, Object> logged(Sent sent) {
    Map<String, Object> members = new LinkedHashMap<>();
    members.put("iqn", sent.members().get("iqn"));
    for (String flag : new String[] {"delete_file", "force"}) {
      Object value = sent.members().get(flag);
      members.put(flag, value instanceof String text ? meaning(text, text) : orFalse(value));
    }
    return members;
  }

  private static Object orFalse(Object value) {
    return value == null ? Boolean.FALSE : value;
  }

  private static Object meaning(String text, Object otherwise) {
    return text.isEmpty() ? Boolean.FALSE : bool(text).map(Object.class::cast).orElse(otherwise);
  }

  private static Optional<Boolean> flag(Sent sent, String member) {
    return sent.text(member)
        .map(
            text ->
                bool(text)
                    .orElseThrow(
                        () ->
                            new AgentException(
                                ErrorCode.INVALID_PARAMETER,
                                "'" + member + "' has to be true or false")));
  }

  private static Optional<Boolean> bool(String text) {
    return switch (text.toLowerCase(Locale.ROOT)) {
      case "true", "1", "yes", "on" -> Optional.of(true);
      case "false", "0", "no", "off" -> Optional.of(false);
      default -> Optional.empty();
    };
  }
}
