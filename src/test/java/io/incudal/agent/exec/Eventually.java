package io.incudal.agent.exec;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.File;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

/** Waits for what happens soon but not at once. */
final class Eventually {
  private static final long PATIENCE = TimeUnit.SECONDS.toNanos(15);

  private Eventually() {}

  static void holds(String what, BooleanSupplier condition) throws InterruptedException {
    long deadline = System.nanoTime() + PATIENCE;
    while (!condition.getAsBoolean()) {
      assertTrue(System.nanoTime() < deadline, "not in time: " + what);
      Thread.sleep(5);
    }
  }

  /** Descriptors that this process has open. */
  static int files() {
    return new File("/proc/self/fd").list().length;
  }
}
