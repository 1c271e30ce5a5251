package io.incudal.agent.lun;

import io.incudal.agent.bus.AgentException;
import io.incudal.agent.bus.ErrorCode;
import io.incudal.agent.target.Backing;
import io.incudal.agent.target.Iqn;
import io.incudal.agent.target.SharedRun;
import io.incudal.agent.target.Target;
import io.incudal.agent.target.TargetBackend;
import io.vertx.core.Future;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.IntFunction;

/**
 * The back end as the use cases see it: what they make and remove is counted, and what its failures
 * tell of its state is passed on.
 */
final class Exports {
  private final TargetBackend backend;
  private final Recovery recovery;
  private final Consumer<Integer> counted;
  private final SharedRun<List<Target>> forMany;
  private int count;

  /**
   * @param counted hears of the number of targets whenever the agent made or removed one
   * @param gathering how long a listing after one for so many waits for more to come
   */
  Exports(
      TargetBackend backend,
      Recovery recovery,
      Consumer<Integer> counted,
      IntFunction<Future<?>> gathering) {
    this.backend = backend;
    this.recovery = recovery;
    this.counted = counted;
    this.forMany = new SharedRun<>(this::list, gathering);
  }

  /**
   * The same for an operation that may wait a little when many of its kind come at once: it costs
   * far more to list a thousand targets than to remove one.
   */
  Future<List<Target>> listForMany() {
    return forMany.join();
  }

  Future<List<Target>> list() {
    return backend
        .list()
        .onSuccess(
            targets -> {
              count = targets.size();
              recovery.counted(count);
            })
        .onFailure(this::observe);
  }

  /** Fails with {@code TARGET_EXISTS} when there is one of this name, as far as is known. */
  Future<Void> refuseKnown(Iqn iqn) {
    return backend.knows(iqn)
        ? Future.failedFuture(
            new AgentException(ErrorCode.TARGET_EXISTS, "target already exists: " + iqn))
        : Future.succeededFuture();
  }

  boolean knows(Iqn iqn) {
    return backend.knows(iqn);
  }

  Future<Void> export(Iqn iqn, Backing backing) {
    return backend.export(iqn, backing).onSuccess(done -> changed(1)).onFailure(this::observe);
  }

  Future<Void> unexport(Iqn iqn, boolean endSessions) {
    return backend
        .unexport(iqn, endSessions)
        .onSuccess(done -> changed(-1))
        .onFailure(this::observe);
  }

  private void changed(int difference) {
    count = Math.max(0, count + difference);
    recovery.counted(count);
    counted.accept(count);
  }

  private void observe(Throwable failure) {
    if (failure instanceof AgentException known) {
      switch (known.code()) {
        case DOCKER_UNAVAILABLE, CONTAINER_UNAVAILABLE, BACKEND_UNAVAILABLE ->
            recovery.unavailable(known);
        case RECOVERING -> recovery.lost();
        default -> {
          // Says nothing of the back end as a whole.
        }
      }
    }
  }
}
