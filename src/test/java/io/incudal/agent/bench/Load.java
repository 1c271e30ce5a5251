package io.incudal.agent.bench;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntPredicate;
import java.util.function.IntSupplier;

/** Calls from many connections at once. */
final class Load {
  private final int port;
  private final String token;

  /** One call; the number tells it from the others. */
  interface Call {
    void with(HttpCaller caller, int number) throws IOException;
  }

  Load(int port, String token) {
    this.port = port;
    this.token = token;
  }

  /** Makes so many calls; the callers take the next number as soon as they are free. */
  Timings times(int callers, int calls, Call call) throws Exception {
    AtomicInteger next = new AtomicInteger();
    return run(callers, call, next::getAndIncrement, n -> n < calls);
  }

  /** Calls for so long. */
  Timings seconds(int callers, int seconds, Call call) throws Exception {
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(seconds);
    return run(callers, call, () -> 0, n -> System.nanoTime() < end);
  }

  private Timings run(int callers, Call call, IntSupplier next, IntPredicate more)
      throws Exception {
    ExecutorService threads = Executors.newFixedThreadPool(callers);
    CountDownLatch ready = new CountDownLatch(callers);
    CountDownLatch go = new CountDownLatch(1);
    try {
      List<Future<List<Long>>> results = new ArrayList<>();
      for (int i = 0; i < callers; i++) {
        results.add(
            threads.submit(
                () -> {
                  List<Long> took = new ArrayList<>();
                  try (HttpCaller caller = new HttpCaller(port, token)) {
                    ready.countDown();
                    go.await();
                    for (int n = next.getAsInt(); more.test(n); n = next.getAsInt()) {
                      long begin = System.nanoTime();
                      call.with(caller, n);
                      took.add(System.nanoTime() - begin);
                    }
                  }
                  return took;
                }));
      }
      ready.await(10, TimeUnit.SECONDS);
      long begin = System.nanoTime();
      go.countDown();
      List<Long> all = new ArrayList<>();
      for (Future<List<Long>> result : results) {
        all.addAll(result.get());
      }
      return new Timings(System.nanoTime() - begin, all);
    } catch (ExecutionException e) {
      throw new IOException("a call failed: " + e.getCause().getMessage(), e);
    } finally {
      threads.shutdownNow();
    }
  }
}
