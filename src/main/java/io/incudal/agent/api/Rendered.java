package io.incudal.agent.api;

import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import java.util.function.Function;

/**
 * The JSON of the newest reply. Replies are immutable and shared by those who were answered
 * together, so the same instance means the same JSON.
 */
final class Rendered<T> {
  private final Function<T, Future<Buffer>> renderer;
  private T source;
  private Future<Buffer> json;

  Rendered(Function<T, Future<Buffer>> renderer) {
    this.renderer = renderer;
  }

  Future<Buffer> of(T reply) {
    if (reply != source) {
      source = reply;
      json = renderer.apply(reply);
    }
    return json;
  }
}
