package io.incudal.agent.exec;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;

/**
 * Gives blocking calls a deadline: docker-java honours none on a unix socket, but an interrupt ends
 * its calls. Owns threads, a bounded number, which end when they are idle. Thread-safe.
 */
final class BoundedCalls {
  private static final int IDLE_SECONDS = 5;

  private final ThreadPoolExecutor threads;

  BoundedCalls(String name, int parallel) {
    this.threads =
        new ThreadPoolExecutor(
            0,
            parallel,
            IDLE_SECONDS,
            TimeUnit.SECONDS,
            new SynchronousQueue<>(),
            call -> {
              var thread = new Thread(call, name);
              thread.setDaemon(true);
              return thread;
            });
  }

  /**
   * Waits for a call's result, or for its limit, at which the call is interrupted: then the answer
   * is empty, as it is when too many calls hang already.
   *
   * @param discard gets a result that came too late
   */
  <T> Optional<T> within(Duration limit, Callable<T> call, Consumer<T> discard) {
    var outcome = new CompletableFuture<T>();
    Future<?> running;
    try {
      running = threads.submit(() -> perform(call, outcome, discard));
    } catch (RejectedExecutionException allHang) {
      return Optional.empty();
    }
    try {
      return Optional.of(outcome.get(limit.toNanos(), TimeUnit.NANOSECONDS));
    } catch (TimeoutException late) {
      return abandoned(outcome, running);
    } catch (InterruptedException stop) {
      Thread.currentThread().interrupt();
      return abandoned(outcome, running);
    } catch (ExecutionException failed) {
      throw failed.getCause() instanceof RuntimeException known
          ? known
          : new IllegalStateException(failed.getCause());
    }
  }

  void close() {
    threads.shutdownNow();
  }

  private static <T> void perform(
      Callable<T> call, CompletableFuture<T> outcome, Consumer<T> discard) {
    try {
      T result = call.call();
      if (!outcome.complete(result)) {
        discard.accept(result);
      }
    } catch (Throwable failure) {
      outcome.completeExceptionally(failure);
    }
  }

  private static <T> Optional<T> abandoned(CompletableFuture<T> outcome, Future<?> running) {
    // Whoever completes it first decides who frees a result: here, or in perform.
    if (outcome.cancel(false)) {
      running.cancel(true);
      return Optional.empty();
    }
    try {
      return Optional.of(outcome.join());
    } catch (CancellationException | java.util.concurrent.CompletionException failed) {
      return Optional.empty();
    }
  }
}
