package io.incudal.agent.exec;

import io.incudal.agent.bus.AgentException;
import io.incudal.agent.bus.ErrorCode;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Hands commands to a fixed number of workers, first come first served. Owns a thread for each
 * worker; callers never wait, and hear the outcome on their own context.
 */
final class PooledToolRunner implements ToolRunner {
  private static final Logger LOG = LoggerFactory.getLogger(PooledToolRunner.class);

  /**
   * How many commands may wait: each is small, and far more than a node has targets waits never.
   */
  private static final int WAITING = 4096;

  /** Is told how a job ended: when it began, and with what. */
  private interface Report<T> {
    Report<Object> NONE = (begun, result, failure) -> {};

    void ended(long begun, T result, Throwable failure);
  }

  /** Something for a worker to do, and who wants to know. */
  private record Job<T>(
      Function<ToolWorker, T> task, CompletableFuture<T> outcome, Report<? super T> report) {
    void done(T result, long begun) {
      report.ended(begun, result, null);
      outcome.complete(result);
    }

    void fail(Throwable failure, long begun) {
      report.ended(begun, null, failure);
      outcome.completeExceptionally(failure);
    }
  }

  private final Vertx vertx;
  private final List<? extends ToolWorker> workers;
  private final ToolListener listener;
  private final LinkedBlockingQueue<Job<?>> waiting = new LinkedBlockingQueue<>();
  private final Job<Void> stop = nothing();
  private final CompletableFuture<Void> closed;
  private boolean closing;

  /**
   * Starts the workers' threads.
   *
   * @param afterwards frees what the workers share, after their end
   */
  PooledToolRunner(
      Vertx vertx, List<? extends ToolWorker> workers, ToolListener listener, Runnable afterwards) {
    this.vertx = vertx;
    this.workers = List.copyOf(workers);
    this.listener = listener;
    this.closed =
        CompletableFuture.allOf(
                this.workers.stream().map(this::start).toArray(CompletableFuture[]::new))
            .thenRun(afterwards);
  }

  @Override
  public Future<ToolResult> run(ToolCommand command) {
    long asked = System.nanoTime();
    return submit(
        worker -> worker.run(command),
        (begun, result, failure) ->
            listener.commandEnded(ended(command, asked, begun, outcome(result, failure))));
  }

  @Override
  public Future<String> instance() {
    return workers.stream()
        .filter(ToolWorker::ready)
        .findFirst()
        .map(ready -> onCallersContext(CompletableFuture.completedFuture(ready.instance())))
        .orElseGet(() -> submit(ToolWorker::instance, Report.NONE));
  }

  @Override
  public Future<Void> close() {
    synchronized (waiting) {
      if (!closing) {
        closing = true;
        workers.forEach(worker -> waiting.add(stop));
      }
    }
    return onCallersContext(closed);
  }

  private <T> Future<T> submit(Function<ToolWorker, T> task, Report<? super T> report) {
    var job = new Job<>(task, new CompletableFuture<T>(), report);
    synchronized (waiting) {
      if (closing) {
        return refused(ErrorCode.STOPPING, "the agent is stopping");
      }
      if (waiting.size() >= WAITING) {
        return refused(
            ErrorCode.OVERLOADED, "too many commands wait for the back end; try again later");
      }
      waiting.add(job);
    }
    return onCallersContext(job.outcome());
  }

  private <T> Future<T> refused(ErrorCode code, String message) {
    return onCallersContext(CompletableFuture.failedFuture(new AgentException(code, message)));
  }

  private CompletableFuture<Void> start(ToolWorker worker) {
    var ended = new CompletableFuture<Void>();
    var thread = new Thread(() -> work(worker, ended), "tool-" + workers.indexOf(worker));
    thread.setDaemon(true);
    thread.start();
    return ended;
  }

  private void work(ToolWorker worker, CompletableFuture<Void> ended) {
    try {
      for (Job<?> job = waiting.take(); job != stop; job = waiting.take()) {
        perform(worker, job);
      }
    } catch (InterruptedException nobodyDoesThis) {
      LOG.error("tool thread interrupted", nobodyDoesThis);
    } finally {
      worker.close();
      ended.complete(null);
    }
  }

  private <T> void perform(ToolWorker worker, Job<T> job) {
    if (!prepared(worker, job)) {
      return;
    }
    long begun = System.nanoTime();
    try {
      T result = job.task().apply(worker);
      job.done(result, begun);
    } catch (Throwable failure) {
      job.fail(failure, begun);
      if (failure instanceof AgentException known && known.code() == ErrorCode.COMMAND_TIMEOUT) {
        // The caller does not wait for it, but the tool's process is not to run on.
        prepared(worker, nothing());
      }
    }
  }

  private boolean prepared(ToolWorker worker, Job<?> job) {
    try {
      worker.prepare();
      return true;
    } catch (AgentException unreachable) {
      // Taken first: who hears of the failure and asks again is to get a new attempt.
      List<Job<?>> others = takeWaiting();
      long now = System.nanoTime();
      job.fail(unreachable, now);
      others.forEach(other -> other.fail(unreachable, now));
    } catch (Throwable unexpected) {
      job.fail(unexpected, System.nanoTime());
    }
    return false;
  }

  /** Those who would each find out the same, one deadline after another. */
  private List<Job<?>> takeWaiting() {
    List<Job<?>> taken = new ArrayList<>();
    if (workers.stream().noneMatch(ToolWorker::ready)) {
      waiting.removeIf(job -> job != stop && taken.add(job));
    }
    return taken;
  }

  private <T> Future<T> onCallersContext(CompletableFuture<T> outcome) {
    return Future.fromCompletionStage(outcome, vertx.getOrCreateContext());
  }

  private static Job<Void> nothing() {
    return new Job<>(worker -> null, new CompletableFuture<>(), Report.NONE);
  }

  private static ToolListener.Ended ended(
      ToolCommand command, long asked, long begun, String outcome) {
    return new ToolListener.Ended(
        command.steps().get(0).get(0),
        Duration.ofNanos(begun - asked),
        Duration.ofNanos(System.nanoTime() - begun),
        outcome);
  }

  private static String outcome(ToolResult result, Throwable failure) {
    if (failure == null) {
      return result.ok() ? "ok" : "refused";
    }
    ErrorCode code = failure instanceof AgentException known ? known.code() : ErrorCode.INTERNAL;
    return code.word();
  }
}
