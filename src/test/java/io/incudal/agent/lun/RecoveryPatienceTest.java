package io.incudal.agent.lun;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.incudal.agent.bus.AgentException;
import io.incudal.agent.bus.ErrorCode;
import io.incudal.agent.lun.LunMessages.BackendView;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.junit5.VertxExtension;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Nobody waits for the targets longer than he was promised. */
@ExtendWith(VertxExtension.class)
class RecoveryPatienceTest {
  private static final AgentException DOWN =
      new AgentException(ErrorCode.DOCKER_UNAVAILABLE, "no engine");

  private final List<BackendView> told = new ArrayList<>();
  private final Recovery recovery = new Recovery(Duration.ofMillis(20), told::add);
  private Context context;

  @BeforeEach
  void onAContext(Vertx vertx) {
    context = vertx.getOrCreateContext();
  }

  @Test
  void saysRecoveringWhenTheScanTakesTooLong() {
    on(() -> recovery.opened(true, Optional.empty()));
    assertEquals(ErrorCode.RECOVERING, refusal().code());
  }

  @Test
  void letsCommandsInAnyway() {
    Future<Void> entrance = on(recovery::entrance);
    assertFalse(entrance.isComplete());
    entrance.await();
  }

  /** An engine that hangs is what is wrong, not a scan. */
  @Test
  void saysWhatWasWrongWhenTheOpeningTakesTooLong() {
    on(() -> recovery.unavailable(DOWN));
    on(recovery::opening);
    assertEquals(ErrorCode.DOCKER_UNAVAILABLE, refusal().code());
  }

  @Test
  void admitsAtOnceWhileTheBackEndIsDown() {
    on(() -> recovery.unavailable(DOWN));
    assertTrue(on(recovery::admission).succeeded());
  }

  @Test
  void turnsThoseWhoWaitAwayWhenItStops() {
    Future<Void> waiting = on(recovery::admission);
    on(recovery::stop);
    var failure = assertThrows(AgentException.class, waiting::await);
    assertEquals(ErrorCode.STOPPING, failure.code());
  }

  @Test
  void tellsEachChangeOnce() {
    on(() -> recovery.unavailable(DOWN));
    on(() -> recovery.unavailable(DOWN));
    on(() -> recovery.opened(true, Optional.empty()));
    on(() -> recovery.counted(5));
    on(() -> recovery.scanEnded(true));
    on(recovery::answers);
    assertEquals(
        List.of("false false", "true false", "true true"),
        told.stream().map(view -> view.ready() + " " + view.scanned()).toList());
  }

  private AgentException refusal() {
    Future<Void> admission = on(recovery::admission);
    return assertThrows(AgentException.class, admission::await);
  }

  private void on(Runnable action) {
    on(
        () -> {
          action.run();
          return true;
        });
  }

  private <T> T on(Supplier<T> action) {
    Promise<T> result = Promise.promise();
    context.runOnContext(go -> result.complete(action.get()));
    return result.future().await();
  }
}
