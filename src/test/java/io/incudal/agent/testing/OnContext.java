package io.incudal.agent.testing;

import io.vertx.core.Context;
import io.vertx.core.Promise;
import java.util.concurrent.Callable;

/** Runs a test's steps where a verticle's would run, and hands over what came of them. */
public final class OnContext {
  private OnContext() {}

  /** Blocks the calling thread, which is a test's, until the step has been done. */
  public static <T> T run(Context context, Callable<T> step) {
    Promise<T> result = Promise.promise();
    context.runOnContext(
        go -> {
          try {
            result.complete(step.call());
          } catch (Exception e) {
            result.fail(e);
          }
        });
    return result.future().await();
  }
}
