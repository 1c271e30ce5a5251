package io.incudal.agent.lun;

import io.incudal.agent.bus.AgentException;
import io.incudal.agent.bus.ErrorCode;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/**
 * The members of a request just as the client sent them: hostile until {@code lun} has made types
 * of them, and kept for the audit log, which records refused requests too.
 */
public record Sent(Map<String, Object> members) {
  public Sent {
    members = Collections.unmodifiableMap(new LinkedHashMap<>(members));
  }

  /**
   * An optional text; {@code null} and {@code ""} mean not given.
   *
   * @throws AgentException {@link ErrorCode#INVALID_FIELD} when it is no string
   */
  public Optional<String> text(String member) {
    Object value = members.get(member);
    if (value == null || value.equals("")) {
      return Optional.empty();
    }
    if (value instanceof String text) {
      return Optional.of(text);
    }
    throw new AgentException(ErrorCode.INVALID_FIELD, "'" + member + "' has to be a string");
  }
}
