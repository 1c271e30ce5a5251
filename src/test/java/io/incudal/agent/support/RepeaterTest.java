package io.incudal.agent.support;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.junit5.VertxExtension;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

@ExtendWith(VertxExtension.class)
class RepeaterTest {
  private static final Supplier<Duration> AT_ONCE = () -> Duration.ofMillis(1);
  private static final Supplier<Duration> NEVER = () -> Duration.ofDays(1);

  private final AtomicInteger runs = new AtomicInteger();
  private final Promise<Void> third = Promise.promise();

  @Test
  void completesTheStartWhenTheFirstRunHasEnded(Vertx vertx) {
    Promise<Void> work = Promise.promise();
    Future<Void> started = repeater(vertx, work::future, NEVER).start(Duration.ZERO);
    assertFalse(started.isComplete());
    work.complete();
    started.await();
    assertEquals(1, runs.get());
  }

  @Test
  void completesTheStartAlsoWhenTheFirstRunFails(Vertx vertx) {
    repeater(vertx, () -> Future.failedFuture("no"), NEVER).start(Duration.ZERO).await();
    assertEquals(1, runs.get());
  }

  @Test
  void waitsBeforeTheFirstRunWhenToldTo(Vertx vertx) {
    Future<Void> started =
        repeater(vertx, Future::succeededFuture, NEVER).start(Duration.ofDays(1));
    vertx.timer(20).await();
    assertEquals(0, runs.get());
    assertFalse(started.isComplete());
  }

  @Test
  void runsAgainAfterFailures(Vertx vertx) {
    Supplier<Future<?>> failing =
        () -> {
          if (runs.get() == 1) {
            throw new IllegalStateException("thrown");
          }
          return Future.failedFuture("failed");
        };
    repeater(vertx, failing, AT_ONCE).start(Duration.ZERO);
    third.future().await();
  }

  @Test
  void neverRunsTwiceAtOnce(Vertx vertx) {
    AtomicInteger inside = new AtomicInteger();
    Supplier<Future<?>> slow =
        () -> {
          assertEquals(1, inside.incrementAndGet());
          return vertx.timer(5).onComplete(done -> inside.decrementAndGet());
        };
    repeater(vertx, slow, AT_ONCE).start(Duration.ZERO);
    third.future().await();
  }

  @Test
  void runsOnTheContextItWasMadeOn(Vertx vertx) {
    Promise<Context> made = Promise.promise();
    Promise<Context> second = Promise.promise();
    vertx.runOnContext(
        go -> {
          made.complete(vertx.getOrCreateContext());
          Supplier<Future<?>> task =
              () -> {
                if (runs.get() == 2) {
                  second.complete(vertx.getOrCreateContext());
                }
                return Future.succeededFuture();
              };
          repeater(vertx, task, AT_ONCE).start(Duration.ZERO);
        });
    assertSame(made.future().await(), second.future().await());
  }

  @Test
  void stopWaitsForTheRunInProgressAndBeginsNoOther(Vertx vertx) {
    Promise<Void> entered = Promise.promise();
    Promise<Void> work = Promise.promise();
    Supplier<Future<?>> task =
        () -> {
          entered.complete();
          return work.future();
        };
    var repeater = repeater(vertx, task, AT_ONCE);
    Future<Void> started = repeater.start(Duration.ZERO);
    entered.future().await();
    Future<Void> stopped = repeater.stop();
    vertx.timer(10).await();
    assertFalse(stopped.isComplete());
    work.complete();
    stopped.await();
    assertTrue(started.succeeded());
    vertx.timer(10).await();
    assertEquals(1, runs.get());
  }

  @Test
  void stopCancelsTheNextRun(Vertx vertx) {
    var repeater = repeater(vertx, Future::succeededFuture, () -> Duration.ofMillis(20));
    repeater.start(Duration.ZERO).await();
    repeater.stop().await();
    vertx.timer(40).await();
    assertEquals(1, runs.get());
  }

  @Test
  void startFailsWhenStoppedBeforeTheFirstRun(Vertx vertx) {
    var repeater = repeater(vertx, Future::succeededFuture, NEVER);
    Future<Void> started = repeater.start(Duration.ofDays(1));
    repeater.stop().await();
    assertTrue(started.failed());
    assertEquals(0, runs.get());
  }

  @Test
  void jitterShortensByAtMostATenth() {
    Supplier<Duration> pause = Repeater.jittered(Duration.ofSeconds(30));
    for (int i = 0; i < 1000; i++) {
      Duration next = pause.get();
      assertTrue(next.compareTo(Duration.ofSeconds(27)) >= 0, next::toString);
      assertTrue(next.compareTo(Duration.ofSeconds(30)) <= 0, next::toString);
    }
  }

  private Repeater repeater(Vertx vertx, Supplier<Future<?>> task, Supplier<Duration> pause) {
    Supplier<Future<?>> counted =
        () -> {
          if (runs.incrementAndGet() == 3) {
            third.complete();
          }
          return task.get();
        };
    return new Repeater(vertx, "test", counted, pause);
  }
}
