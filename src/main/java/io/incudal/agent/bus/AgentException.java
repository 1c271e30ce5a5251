package io.incudal.agent.bus;

import io.vertx.core.eventbus.ReplyException;
import io.vertx.core.eventbus.ReplyFailure;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * The one failure type. Its message is public: it says what the caller can do, and holds no secret
 * and no internals. A {@link ReplyException}, so that it crosses the local event bus as it is.
 */
public final class AgentException extends ReplyException {
  private static final long serialVersionUID = 1L;

  private final ErrorCode code;
  private final transient Map<String, Object> members;
  // ReplyException fixes its cause to none.
  private final Throwable cause;

  public AgentException(ErrorCode code, String message) {
    this(code, message, Map.of(), null);
  }

  public AgentException(ErrorCode code, String message, Throwable cause) {
    this(code, message, Map.of(), cause);
  }

  private AgentException(
      ErrorCode code, String message, Map<String, Object> members, Throwable cause) {
    super(ReplyFailure.RECIPIENT_FAILURE, code.ordinal(), message);
    this.code = code;
    this.members = members;
    this.cause = cause;
  }

  /** The same failure with one more member in its problem document, such as {@code initiators}. */
  public AgentException with(String member, Object value) {
    Map<String, Object> more = new LinkedHashMap<>(members);
    more.put(member, value);
    return new AgentException(code, getMessage(), Collections.unmodifiableMap(more), cause);
  }

  public ErrorCode code() {
    return code;
  }

  @Override
  public synchronized Throwable getCause() {
    return cause;
  }

  /** Further members of the problem document: strings, numbers, booleans, lists of strings. */
  public Map<String, Object> members() {
    return members;
  }
}
