package io.incudal.agent.upgrade;

import io.incudal.agent.bus.Addresses;
import io.incudal.agent.bus.AgentException;
import io.incudal.agent.bus.Bus;
import io.incudal.agent.bus.ErrorCode;
import io.incudal.agent.lun.LunMessages;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.time.Duration;
import java.util.concurrent.TimeUnit;

/**
 * Knows whether the Agent API is at work: a restart would cut a clone of hours short, so an upgrade
 * waits for it. What comes in between the last look and the restart is the ordinary stop's to end.
 */
final class Operations {
  private static final Duration PAUSE = Duration.ofSeconds(5);
  private static final Duration ANSWER_LIMIT = Duration.ofSeconds(5);

  private final Vertx vertx;
  private final Bus bus;

  Operations(Vertx vertx, Bus bus) {
    this.vertx = vertx;
    this.bus = bus;
  }

  /** How many run or wait; none when the Agent API does not run. */
  Future<Integer> count() {
    return bus.request(Addresses.LUN_QUERY, new LunMessages.CountOperations(), ANSWER_LIMIT)
        .map(LunMessages.Operations::count)
        .recover(
            failure ->
                failure instanceof AgentException known && known.code() == ErrorCode.STOPPING
                    ? Future.succeededFuture(0)
                    : Future.succeededFuture(1));
  }

  /** Completes at the first look that finds none. */
  Future<Void> none() {
    return count()
        .compose(
            count ->
                count == 0
                    ? Future.succeededFuture()
                    : vertx
                        .timer(PAUSE.toMillis(), TimeUnit.MILLISECONDS)
                        .compose(later -> none()));
  }
}
