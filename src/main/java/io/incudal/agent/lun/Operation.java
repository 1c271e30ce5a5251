package io.incudal.agent.lun;

import io.incudal.agent.bus.AgentException;
import io.vertx.core.Future;
import java.util.Map;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * One operation of a caller: all or nothing, with one line in the audit log, written before the
 * caller hears of it. The line of a success is written inside the operation's turn, so that it can
 * still be undone when it cannot be written.
 */
final class Operation {
  private final AuditTrail trail;
  private final AuditTrail.Entry entry;
  private final Undo undo = new Undo();
  private boolean begun;

  Operation(AuditTrail trail, AuditTrail.Entry entry) {
    this.trail = trail;
    this.entry = entry;
  }

  /**
   * The whole of it, from the first look at what the caller sent; failures are logged here. One
   * that was only turned away, since too much is waiting or the agent stops, is no operation.
   */
  <R> Future<R> audited(Supplier<Future<R>> attempt) {
    Future<R> outcome;
    try {
      outcome = attempt.get();
    } catch (AgentException refused) {
      outcome = Future.failedFuture(refused);
    }
    return outcome.recover(this::record);
  }

  /** Its work, in its turn. */
  <R> Future<R> perform(Supplier<Future<R>> work) {
    return perform(work, reply -> Map.of());
  }

  /**
   * Its work, in its turn.
   *
   * @param counts of the reply, for the audit log
   */
  <R> Future<R> perform(Supplier<Future<R>> work, Function<R, Map<String, Integer>> counts) {
    begun = true;
    return trail
        .writable()
        .compose(writable -> work.get())
        .compose(reply -> trail.succeeded(entry, counts.apply(reply)).map(reply))
        .recover(failure -> undo.run().transform(undone -> Future.failedFuture(failure)));
  }

  /** How to take back what was just done, should the rest fail. */
  void onFailure(String what, Supplier<Future<Void>> action) {
    undo.push(what, action);
  }

  private <R> Future<R> record(Throwable failure) {
    return isRecordable(failure)
        ? trail.failed(entry, failure).compose(written -> Future.failedFuture(failure))
        : Future.failedFuture(failure);
  }

  private boolean isRecordable(Throwable failure) {
    if (!(failure instanceof AgentException known)) {
      return true;
    }
    return switch (known.code()) {
      case AUDIT_UNAVAILABLE, AUDIT_FAILED -> false;
      case OVERLOADED, STOPPING -> begun;
      default -> true;
    };
  }
}
