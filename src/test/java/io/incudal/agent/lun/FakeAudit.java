package io.incudal.agent.lun;

import io.incudal.agent.audit.AuditMessages.Append;
import io.incudal.agent.audit.AuditMessages.Appended;
import io.incudal.agent.audit.AuditMessages.CheckWritable;
import io.incudal.agent.audit.AuditMessages.Writable;
import io.incudal.agent.bus.Addresses;
import io.incudal.agent.bus.AgentException;
import io.incudal.agent.bus.AgentMessage;
import io.incudal.agent.bus.Bus;
import io.incudal.agent.bus.ErrorCode;
import io.incudal.agent.bus.Request;
import io.vertx.core.Future;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/** An audit log in memory, which can be told to fail. */
final class FakeAudit {
  final List<Append> lines = new CopyOnWriteArrayList<>();
  volatile boolean unavailable;
  volatile boolean failing;

  static FakeAudit serve(Bus bus) {
    FakeAudit audit = new FakeAudit();
    bus.serve(Addresses.AUDIT_APPEND, Request.class, audit::answer);
    return audit;
  }

  /** Each line in short, such as {@code disk ok} or {@code delete failed: not found}. */
  List<String> summary() {
    return lines.stream()
        .map(line -> line.op() + line.error().map(error -> " failed: " + error).orElse(" ok"))
        .toList();
  }

  long count(String op, boolean ok) {
    return lines.stream().filter(l -> l.op().equals(op) && l.error().isEmpty() == ok).count();
  }

  private Future<? extends AgentMessage> answer(Request<?> request) {
    if (request instanceof CheckWritable) {
      return unavailable
          ? Future.failedFuture(new AgentException(ErrorCode.AUDIT_UNAVAILABLE, "log is full"))
          : Future.succeededFuture(new Writable());
    }
    if (failing) {
      return Future.failedFuture(new AgentException(ErrorCode.AUDIT_FAILED, "log is broken"));
    }
    lines.add((Append) request);
    return Future.succeededFuture(new Appended(lines.size()));
  }
}
