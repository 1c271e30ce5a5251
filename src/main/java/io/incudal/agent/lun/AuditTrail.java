package io.incudal.agent.lun;

import io.incudal.agent.audit.AuditMessages.Append;
import io.incudal.agent.audit.AuditMessages.CheckWritable;
import io.incudal.agent.bus.Addresses;
import io.incudal.agent.bus.AgentException;
import io.incudal.agent.bus.Bus;
import io.incudal.agent.bus.Caller;
import io.incudal.agent.bus.ErrorCode;
import io.vertx.core.Future;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;

/** The way to the audit log: a line is written and synced when its future completes. */
final class AuditTrail {
  /** An append waits for a sync of a disk that may be busy copying. */
  private static final Duration LIMIT = Duration.ofSeconds(30);

  private final Bus bus;

  AuditTrail(Bus bus) {
    this.bus = bus;
  }

  /**
   * What an operation's line says besides its result.
   *
   * @param op as in {@link Append}
   * @param req the known members as sent
   */
  record Entry(String op, Map<String, Object> req, Caller caller) {}

  /** Fails with {@code AUDIT_UNAVAILABLE} when a line could not be written now. */
  Future<Void> writable() {
    return bus.request(Addresses.AUDIT_APPEND, new CheckWritable(), LIMIT)
        .recover(
            failure ->
                Future.failedFuture(
                    failed(
                        failure, ErrorCode.AUDIT_UNAVAILABLE, "the audit log cannot be written")))
        .mapEmpty();
  }

  Future<Void> succeeded(Entry entry, Map<String, Integer> counts) {
    return append(entry, Optional.empty(), counts);
  }

  Future<Void> failed(Entry entry, Throwable failure) {
    String error =
        failure instanceof AgentException known
            ? known.getMessage()
            : "internal error; the agent's log has the details";
    return append(entry, Optional.of(error), Map.of());
  }

  private Future<Void> append(Entry entry, Optional<String> error, Map<String, Integer> counts) {
    var line = new Append(entry.op(), entry.req(), error, counts, entry.caller());
    return bus.request(Addresses.AUDIT_APPEND, line, LIMIT)
        .recover(
            failure ->
                Future.failedFuture(
                    failed(
                        failure,
                        ErrorCode.AUDIT_FAILED,
                        "the audit log could not be written; what was done is undone")))
        .mapEmpty();
  }

  /** The log's own failures as they are; one of the way to it becomes what it means here. */
  private static AgentException failed(Throwable failure, ErrorCode code, String message) {
    return failure instanceof AgentException known
            && (known.code() == ErrorCode.AUDIT_UNAVAILABLE
                || known.code() == ErrorCode.AUDIT_FAILED)
        ? known
        : new AgentException(code, message, failure);
  }
}
