package io.incudal.agent.target;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.incudal.agent.bus.LogTag;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.internal.ContextInternal;
import io.vertx.junit5.VertxExtension;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

@ExtendWith(VertxExtension.class)
class SharedRunTest {
  private final List<Promise<Integer>> runs = new ArrayList<>();
  private final List<Integer> crowds = new ArrayList<>();
  private final Promise<Void> gathered = Promise.promise();
  private Context context;

  @BeforeEach
  void onAContext(Vertx vertx) {
    context = vertx.getOrCreateContext();
  }

  @Test
  void runsForEachWhoComesAlone() {
    var shared = new SharedRun<>(this::run);
    Future<Integer> first = join(shared);
    end(0);
    assertEquals(0, first.await());
    Future<Integer> second = join(shared);
    end(1);
    assertEquals(1, second.await());
  }

  /** What began before somebody asked may be older than what he has to see. */
  @Test
  void givesThoseWhoComeDuringARunTheNextOne() {
    var shared = new SharedRun<>(this::run);
    Future<Integer> first = join(shared);
    Future<Integer> second = join(shared);
    Future<Integer> third = join(shared);
    end(0);
    assertEquals(0, first.await());
    assertEquals(2, begun());
    end(1);
    assertEquals(1, second.await());
    assertEquals(1, third.await());
    assertEquals(2, begun());
  }

  @Test
  void goesOnAfterAFailedRun() {
    var shared = new SharedRun<>(this::run);
    Future<Integer> failing = join(shared);
    Future<Integer> next = join(shared);
    on(() -> runs.get(0).tryFail("broken"));
    assertThrows(Exception.class, failing::await);
    assertEquals(2, begun());
    end(1);
    assertEquals(1, next.await());
  }

  @Test
  void goesOnAfterARunThatThrew() {
    var shared =
        new SharedRun<Integer>(
            () -> {
              throw new IllegalStateException("thrown");
            });
    assertThrows(IllegalStateException.class, join(shared)::await);
    assertThrows(IllegalStateException.class, join(shared)::await);
  }

  @Test
  void gathersACrowdOnlyAfterACrowd() {
    var shared = new SharedRun<>(this::run, this::gather);
    join(shared);
    for (int i = 0; i < 5; i++) {
      join(shared);
    }
    end(0);
    assertEquals(2, begun());
    Future<Integer> early = join(shared);
    end(1);
    Future<Integer> late = join(shared);
    assertEquals(2, begun());
    assertEquals(List.of(5), crowds);
    on(gathered::tryComplete);
    assertEquals(3, begun());
    end(2);
    assertEquals(2, early.await());
    assertEquals(2, late.await());
    join(shared);
    assertEquals(4, begun());
  }

  @Test
  void answersEachOnItsOwnRequest() {
    var shared = new SharedRun<>(this::run);
    Future<String> first = asked("r1", shared);
    Future<String> second = asked("r2", shared);
    end(0);
    begun();
    end(1);
    assertEquals("r1", first.await());
    assertEquals("r2", second.await());
  }

  private Future<Integer> run() {
    Promise<Integer> run = Promise.promise();
    runs.add(run);
    return run.future();
  }

  private Future<?> gather(int crowd) {
    crowds.add(crowd);
    return gathered.future();
  }

  private void end(int run) {
    on(() -> runs.get(run).tryComplete(run));
  }

  /** How many runs have begun once all that is due has happened. */
  private int begun() {
    on(() -> true);
    on(() -> true);
    return on(runs::size);
  }

  private Future<Integer> join(SharedRun<Integer> shared) {
    return on(shared::join);
  }

  private Future<String> asked(String id, SharedRun<Integer> shared) {
    Promise<Future<String>> asked = Promise.promise();
    ((ContextInternal) context)
        .duplicate()
        .runOnContext(
            go -> {
              LogTag.REQUEST.bind(id);
              asked.complete(shared.join().map(done -> LogTag.REQUEST.current()));
            });
    return asked.future().await();
  }

  private <T> T on(Supplier<T> action) {
    Promise<T> result = Promise.promise();
    context.runOnContext(go -> result.complete(action.get()));
    return result.future().await();
  }
}
