package io.incudal.agent.api;

import io.vertx.core.Future;
import java.util.function.Supplier;

/**
 * One question for all who ask while its answer is on the way. Only for answers that may be as old
 * as the question: for what is served from memory, not for the state of the target daemon.
 */
final class Joined<T> {
  private final Supplier<Future<T>> question;
  private Future<T> running;

  Joined(Supplier<Future<T>> question) {
    this.question = question;
  }

  Future<T> ask() {
    if (running == null) {
      Future<T> asked = question.get();
      running = asked;
      asked.onComplete(answer -> running = null);
      return asked;
    }
    return running;
  }
}
