package io.incudal.agent.audit;

import io.incudal.agent.bus.AgentMessage;
import io.incudal.agent.bus.Caller;
import io.incudal.agent.bus.Request;
import io.vertx.core.buffer.Buffer;
import java.util.Map;
import java.util.Optional;

/** What can be asked of the audit log. */
public sealed interface AuditMessages {
  /** Goes to the writer, one after another. */
  sealed interface Writing<R extends AgentMessage> extends AuditMessages, Request<R> {}

  /** Fails with {@code AUDIT_UNAVAILABLE} when a line could not be written now. */
  record CheckWritable() implements Writing<Writable> {}

  record Writable() implements AuditMessages, AgentMessage {}

  /**
   * Writes and syncs one line; the reply comes after the sync. Fails with {@code AUDIT_FAILED}.
   *
   * @param op {@code disk}, {@code cd}, {@code scan}, {@code delete} or {@code auto_scan}
   * @param req the known members as sent: strings, numbers, booleans, {@code null}, or what else
   *     JSON can hold; in the order in which they are to be written; long strings are cut by the
   *     log
   * @param error the public message of a failed operation; empty means {@code ok}
   * @param counts {@code created}, {@code skipped}, {@code failed} of a scan, else empty
   */
  record Append(
      String op,
      Map<String, Object> req,
      Optional<String> error,
      Map<String, Integer> counts,
      Caller caller)
      implements Writing<Appended> {}

  record Appended(long id) implements AuditMessages, AgentMessage {}

  /** Entries with an id above {@code since} (≥ 0), oldest first, at most {@code limit} (≥ 1). */
  record ReadPage(long since, int limit) implements AuditMessages, Request<Page> {}

  /**
   * @param nextCursor id of the last entry, or {@code since} when there is none
   * @param entries a JSON array, as it goes to the client; not to be changed
   */
  record Page(long nextCursor, Buffer entries) implements AuditMessages, AgentMessage {}
}
