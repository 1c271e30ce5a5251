package io.incudal.agent.exec;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.incudal.agent.bus.AgentException;
import io.incudal.agent.bus.ErrorCode;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class PooledToolRunnerTest {
  private static final Duration LIMIT = Duration.ofSeconds(1);

  private final Vertx vertx = Vertx.vertx();
  private final AtomicBoolean freed = new AtomicBoolean();
  private final List<String> heard = new CopyOnWriteArrayList<>();
  private final ToolListener listener =
      new ToolListener() {
        @Override
        public void commandEnded(Ended command) {
          heard.add(command.outcome());
        }
      };

  @AfterEach
  void closeVertx() {
    vertx.close().await();
  }

  @Test
  void runsCommandsInTheOrderInWhichTheyCame() {
    var worker = new FakeWorker();
    ToolRunner runner = runner(worker);
    List<Future<ToolResult>> all = new ArrayList<>();
    for (int i = 0; i < 100; i++) {
      all.add(runner.run(command("c" + i)));
    }
    Future.all(all).await();
    assertEquals(100, worker.ran.size());
    for (int i = 0; i < 100; i++) {
      assertEquals("c" + i, worker.ran.get(i));
      assertEquals("c" + i, all.get(i).result().stdout());
    }
    runner.close().await();
  }

  @Test
  void completesOnTheCallersContext() throws Exception {
    ToolRunner runner = runner(new FakeWorker());
    Context context = vertx.getOrCreateContext();
    var seen = new CompletableFuture<Context>();
    context.runOnContext(
        begin ->
            runner.run(command("x")).onComplete(end -> seen.complete(vertx.getOrCreateContext())));
    assertSame(context, seen.get());
    runner.close().await();
  }

  @Test
  void readsDoNotWaitBehindAHangingWrite() {
    var stuck = new FakeWorker();
    var free = new FakeWorker();
    ToolRunner runner = runner(stuck, free);
    Future<ToolResult> write = runner.run(command("hang"));
    assertEquals("show", runner.run(command("show")).await().stdout());
    assertFalse(write.isComplete());
    stuck.release.countDown();
    free.release.countDown();
    write.await();
    runner.close().await();
  }

  @Test
  void refusesMoreThanItCanQueue() {
    var worker = new FakeWorker();
    ToolRunner runner = runner(worker);
    Future<ToolResult> first = runner.run(command("hang"));
    for (int i = 0; i < 4200; i++) {
      runner.run(command("x"));
    }
    Future<ToolResult> last = runner.run(command("x"));
    assertThrows(AgentException.class, last::await);
    assertEquals(ErrorCode.OVERLOADED, code(last));
    worker.release.countDown();
    first.await();
    runner.close().await();
  }

  @Test
  void finishesWhatItHasTakenBeforeItCloses() {
    var worker = new FakeWorker();
    ToolRunner runner = runner(worker);
    Future<ToolResult> running = runner.run(command("hang"));
    Future<ToolResult> waiting = runner.run(command("next"));
    Future<Void> closed = runner.close();
    Future<ToolResult> late = runner.run(command("late"));
    assertThrows(AgentException.class, late::await);
    assertEquals(ErrorCode.STOPPING, code(late));
    assertFalse(closed.isComplete());
    worker.release.countDown();
    closed.await();
    assertTrue(running.succeeded());
    assertEquals("next", waiting.await().stdout());
    assertTrue(worker.closed);
    assertTrue(freed.get());
    runner.close().await();
  }

  @Test
  void leavesNoThreadWhenItIsClosed() throws Exception {
    ToolRunner runner = runner(new FakeWorker(), new FakeWorker());
    runner.run(command("x")).await();
    runner.close().await();
    for (Thread thread : Thread.getAllStackTraces().keySet()) {
      if (thread.getName().matches("tool-\\d+")) {
        thread.join(5000);
        assertFalse(thread.isAlive(), thread.getName());
      }
    }
  }

  @Test
  void runsNothingWhenAWorkerCannotBeMadeReady() {
    var worker = new FakeWorker();
    worker.unreachable = true;
    ToolRunner runner = runner(worker);
    Future<ToolResult> run = runner.run(command("x"));
    assertThrows(AgentException.class, run::await);
    assertEquals(ErrorCode.DOCKER_UNAVAILABLE, code(run));
    assertEquals(List.of(), worker.ran);
    worker.unreachable = false;
    assertEquals("y", runner.run(command("y")).await().stdout());
    runner.close().await();
  }

  @Test
  void tellsAllWhoWaitThatNobodyCanBeReached() {
    var worker = new FakeWorker();
    worker.hangInPrepare = true;
    worker.unreachable = true;
    ToolRunner runner = runner(worker);
    List<Future<ToolResult>> all = new ArrayList<>();
    for (int i = 0; i < 20; i++) {
      all.add(runner.run(command("x")));
    }
    worker.release.countDown();
    for (Future<ToolResult> one : all) {
      assertThrows(AgentException.class, one::await);
    }
    assertEquals(1, worker.prepared, "one attempt served all");
    runner.close().await();
  }

  @Test
  void makesReadyAtOnceAfterACommandRanPastItsLimit() {
    var worker = new FakeWorker();
    ToolRunner runner = runner(worker);
    Future<ToolResult> late = runner.run(command("late"));
    assertThrows(AgentException.class, late::await);
    runner.close().await();
    assertEquals(2, worker.prepared, "before it and after it");
    assertEquals(List.of("command_timeout"), heard);
  }

  @Test
  void outlivesAnErrorInAWorker() {
    ToolRunner runner = runner(new FakeWorker());
    Future<ToolResult> broken = runner.run(command("error"));
    assertInstanceOf(StackOverflowError.class, assertThrows(Throwable.class, broken::await));
    assertEquals("y", runner.run(command("y")).await().stdout());
    runner.close().await();
  }

  @Test
  void asksForTheInstanceOnlyWhenNoWorkerIsReady() {
    var worker = new FakeWorker();
    ToolRunner runner = runner(worker);
    assertEquals("instance", runner.instance().await());
    assertEquals(1, worker.prepared);
    worker.ready = true;
    assertEquals("instance", runner.instance().await());
    assertEquals(1, worker.prepared);
    runner.close().await();
  }

  private ToolRunner runner(ToolWorker... workers) {
    return new PooledToolRunner(vertx, List.of(workers), listener, () -> freed.set(true));
  }

  private static ToolCommand command(String word) {
    return ToolCommand.of(LIMIT, word);
  }

  private static ErrorCode code(Future<?> failed) {
    return ((AgentException) failed.cause()).code();
  }

  /** Echoes the tool's name; some names have a meaning. */
  private static final class FakeWorker implements ToolWorker {
    final List<String> ran = new CopyOnWriteArrayList<>();
    final CountDownLatch release = new CountDownLatch(1);
    volatile boolean unreachable;
    volatile boolean hangInPrepare;
    volatile boolean ready;
    volatile boolean closed;
    volatile int prepared;

    @Override
    public boolean ready() {
      return ready;
    }

    @Override
    public void prepare() {
      prepared++;
      if (hangInPrepare) {
        await();
      }
      if (unreachable) {
        throw new AgentException(ErrorCode.DOCKER_UNAVAILABLE, "no");
      }
    }

    @Override
    public ToolResult run(ToolCommand command) {
      String word = command.steps().get(0).get(0);
      ran.add(word);
      switch (word) {
        case "hang" -> await();
        case "late" -> throw new AgentException(ErrorCode.COMMAND_TIMEOUT, "late");
        case "error" -> throw new StackOverflowError();
        default -> {}
      }
      return new ToolResult(0, 0, word, "");
    }

    private void await() {
      try {
        release.await();
      } catch (InterruptedException stop) {
        Thread.currentThread().interrupt();
      }
    }

    @Override
    public String instance() {
      return "instance";
    }

    @Override
    public void close() {
      closed = true;
    }
  }
}
