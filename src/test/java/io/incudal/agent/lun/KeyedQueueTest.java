package io.incudal.agent.lun;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.incudal.agent.bus.AgentException;
import io.incudal.agent.bus.ErrorCode;
import io.incudal.agent.bus.LogTag;
import io.incudal.agent.config.QueueConfig;
import io.incudal.agent.testing.OnContext;
import io.vertx.core.Context;
import io.vertx.core.DeploymentOptions;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.ThreadingModel;
import io.vertx.core.VerticleBase;
import io.vertx.core.Vertx;
import io.vertx.core.internal.ContextInternal;
import io.vertx.junit5.VertxExtension;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.function.Supplier;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

@ExtendWith(VertxExtension.class)
class KeyedQueueTest {
  private final KeyedQueue queue = new KeyedQueue(new QueueConfig(3, 5));
  private final List<String> begun = new ArrayList<>();
  private Context context;

  @BeforeEach
  void onAWorkerVerticle(Vertx vertx) {
    var verticle =
        new VerticleBase() {
          @Override
          public Future<?> start() {
            KeyedQueueTest.this.context = context;
            return Future.succeededFuture();
          }
        };
    var worker = new DeploymentOptions().setThreadingModel(ThreadingModel.WORKER);
    vertx.deployVerticle(verticle, worker).await();
  }

  @Test
  void runsOneKeysTasksOneAtATimeInOrder() {
    var first = new Task("1");
    var second = new Task("2");
    Future<String> a = submit("k", first);
    Future<String> b = submit("k", second);
    assertEquals(List.of("1"), begunSoFar());
    finish(first, "one");
    assertEquals("one", a.await());
    assertEquals(List.of("1", "2"), begunSoFar());
    finish(second, "two");
    assertEquals("two", b.await());
  }

  @Test
  void runsDifferentKeysSideBySide() {
    submit("slow", new Task("slow"));
    Future<String> quick = submit("quick", new Task("quick").ending());
    assertEquals("quick", quick.await());
    assertEquals(List.of("slow", "quick"), begunSoFar());
  }

  @Test
  void goesOnAfterATaskThatFailedOrThrew() {
    Future<String> failing = submit("k", () -> Future.failedFuture("broken"));
    Future<String> throwing =
        submit(
            "k",
            () -> {
              throw new IllegalStateException("thrown");
            });
    Future<String> good = submit("k", new Task("good").ending());
    assertEquals("good", good.await());
    assertTrue(failing.failed());
    assertTrue(throwing.failed());
  }

  @Test
  void forgetsAKeyThatNobodyWaitsFor() {
    submit("a", new Task("a").ending()).await();
    submit("b", () -> Future.failedFuture("broken")).transform(Future::succeededFuture).await();
    assertEquals(0, (int) on(queue::busyKeys));
  }

  @Test
  void refusesMoreThanItsLimitForOneKey() {
    Task running = new Task("1");
    submit("k", running);
    submit("k", new Task("2").ending());
    Future<String> last = submit("k", new Task("3").ending());
    assertEquals(ErrorCode.OVERLOADED, code(submit("k", new Task("4"))));
    finish(running, "done");
    last.await();
    assertEquals("5", submit("k", new Task("5").ending()).await());
  }

  @Test
  void refusesMoreThanItsLimitInAll() {
    Task running = new Task("k1");
    submit("k1", running);
    for (int i = 2; i <= 5; i++) {
      submit("k" + i, new Task("k" + i));
    }
    assertEquals(ErrorCode.OVERLOADED, code(submit("k6", new Task("k6"))));
    finish(running, "done");
    assertEquals("k7", submit("k7", new Task("k7").ending()).await());
  }

  @Test
  void takesTheAgentsOwnTasksBeyondTheLimits() {
    submit("k", new Task("1"));
    for (int i = 2; i <= 20; i++) {
      assertFalse(enqueue("k", new Task("more")).isComplete());
    }
  }

  @Test
  void closesWhenTheRunningTasksHaveEndedAndRefusesTheRest() {
    Task running = new Task("running");
    Future<String> kept = submit("k", running);
    Future<String> waiting = submit("k", new Task("waiting"));
    Future<Void> closed = on(queue::close);
    assertEquals(ErrorCode.STOPPING, code(waiting));
    assertEquals(ErrorCode.STOPPING, code(submit("other", new Task("late"))));
    assertFalse(closed.isComplete());
    finish(running, "kept");
    closed.await();
    assertEquals("kept", kept.await());
    assertEquals(List.of("running"), begunSoFar());
    assertEquals(0, (int) on(queue::busyKeys));
  }

  @Test
  void closesAtOnceWhenNothingRuns() {
    assertTrue(on(queue::close).succeeded());
  }

  @Test
  void nestsTurnsWithoutADeadlock() {
    KeyedQueue files = new KeyedQueue();
    List<Future<String>> all = new ArrayList<>();
    for (int i = 0; i < 5; i++) {
      String name = "t" + i;
      all.add(submit(name, () -> files.enqueue("shared", new Task(name).ending())));
    }
    Future.all(all).await();
    assertEquals(List.of("t0", "t1", "t2", "t3", "t4"), begunSoFar());
    assertEquals(0, (int) on(files::busyKeys));
  }

  @Test
  void runsEachTaskInTheNameOfItsOwnRequest() {
    Task first = new Task("first");
    Supplier<Future<String>> ask = () -> Future.succeededFuture(LogTag.REQUEST.current());
    inRequest("r1", () -> queue.submit("k", first));
    Future<String> second = inRequest("r2", () -> queue.submit("k", ask));
    finish(first, "done");
    assertEquals("r2", second.await());
  }

  private final class Task implements Supplier<Future<String>> {
    final Promise<String> promise = Promise.promise();
    private final String name;

    Task(String name) {
      this.name = name;
    }

    Task ending() {
      promise.complete(name);
      return this;
    }

    @Override
    public Future<String> get() {
      begun.add(name);
      return promise.future();
    }
  }

  private void finish(Task task, String value) {
    on(() -> task.promise.tryComplete(value));
  }

  private Future<String> submit(String key, Supplier<Future<String>> task) {
    return on(() -> queue.submit(key, task));
  }

  private Future<String> enqueue(String key, Supplier<Future<String>> task) {
    return on(() -> queue.enqueue(key, task));
  }

  private List<String> begunSoFar() {
    return on(() -> List.copyOf(begun));
  }

  private static ErrorCode code(Future<?> future) {
    return assertThrows(AgentException.class, future::await).code();
  }

  private <T> T on(Callable<T> action) {
    return OnContext.run(context, action);
  }

  private <T> Future<T> inRequest(String id, Supplier<Future<T>> action) {
    return OnContext.run(
        ((ContextInternal) context).duplicate(),
        () -> {
          LogTag.REQUEST.bind(id);
          return action.get();
        });
  }
}
