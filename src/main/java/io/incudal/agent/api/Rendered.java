package io.incudal.agent.api;

import io.vertx.core.Future;
import java.util.function.Function;

/**
 * The JSON of the newest reply. Replies are immutable and shared by those who were answered
 * together, so the same instance means the same JSON.
 */
final class Rendered<T> {
  private final Function<T, Future<Payload>> renderer;
  private T source;
  private Future<Payload> payload;

  Rendered(Function<T, Future<Payload>> renderer) {
    this.renderer = renderer;
  }

  Future<Payload> of(T reply) {
    if (reply != source) {
      source = reply;
      payload = renderer.apply(reply);
    }
    return payload;
  }
}
