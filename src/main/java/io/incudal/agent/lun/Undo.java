package io.incudal.agent.lun;

import io.vertx.core.Future;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What an operation has done so far, to be taken back in reverse order when it fails. A step that
 * cannot be taken back is logged, and does not keep the others from it.
 */
final class Undo {
  private static final Logger LOG = LoggerFactory.getLogger(Undo.class);

  private final Deque<Step> steps = new ArrayDeque<>();

  private record Step(String what, Supplier<Future<Void>> action) {}

  /**
   * Remembers how to take back what was just done.
   *
   * @param what for the log, such as {@code remove file x.img}
   */
  void push(String what, Supplier<Future<Void>> action) {
    steps.push(new Step(what, action));
  }

  /** Never fails. */
  Future<Void> run() {
    Step step = steps.poll();
    return step == null
        ? Future.succeededFuture()
        : Future.succeededFuture()
            .compose(begin -> step.action().get())
            .onFailure(failure -> LOG.error("not undone step='{}'", step.what(), failure))
            .transform(done -> run());
  }
}
