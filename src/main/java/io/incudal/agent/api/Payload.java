package io.incudal.agent.api;

import io.incudal.agent.audit.AuditMessages.Page;
import io.vertx.core.buffer.Buffer;
import java.util.List;

/**
 * The body of a good answer, in parts that are sent one after another and never copied together.
 */
record Payload(String type, List<Buffer> parts) {
  Payload {
    parts = List.copyOf(parts);
  }

  static Payload json(Buffer body) {
    return new Payload("application/json", List.of(body));
  }

  static Payload yaml(Buffer body) {
    return new Payload("application/yaml", List.of(body));
  }

  /** In the text format of Prometheus. */
  static Payload metrics(Buffer body) {
    return new Payload("text/plain; version=0.0.4; charset=utf-8", List.of(body));
  }

  static Payload page(Page page) {
    Buffer start = Buffer.buffer("{\"next_cursor\":" + page.nextCursor() + ",\"entries\":");
    return new Payload("application/json", List.of(start, page.entries(), Buffer.buffer("}")));
  }

  int length() {
    return parts.stream().mapToInt(Buffer::length).sum();
  }
}
