package io.incudal.agent.scan;

import io.incudal.agent.bus.Addresses;
import io.incudal.agent.bus.AgentException;
import io.incudal.agent.bus.Bus;
import io.incudal.agent.bus.Caller;
import io.incudal.agent.bus.ErrorCode;
import io.incudal.agent.lun.LunMessages.BackendChanged;
import io.incudal.agent.lun.LunMessages.CheckBackend;
import io.incudal.agent.lun.LunMessages.OpenBackend;
import io.incudal.agent.lun.LunMessages.Scan;
import io.vertx.core.Future;
import io.vertx.core.VerticleBase;
import java.time.Duration;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Waits for the back end for as long as it takes, opens it, and has the image directory scanned
 * when its targets have to be brought back; then looks after it, and begins anew when it was lost.
 *
 * <p>One step after another on the verticle's context; never touches the back end itself.
 */
public final class AutoScanVerticle extends VerticleBase {
  private static final Logger LOG = LoggerFactory.getLogger(AutoScanVerticle.class);

  /** Opening reaches for Docker and lists all targets; both have limits of their own. */
  private static final Duration OPEN_LIMIT = Duration.ofMinutes(2);

  /** Thousands of images, on a back end that takes a second for each. */
  private static final Duration SCAN_LIMIT = Duration.ofHours(1);

  private final Bus bus;
  private final Pace pace;
  private Bus.Registration listening;
  private Long timer;
  private boolean open;
  private boolean stopped;
  private String trouble;

  public AutoScanVerticle(Bus bus) {
    this(bus, Pace.standard());
  }

  AutoScanVerticle(Bus bus, Pace pace) {
    this.bus = bus;
    this.pace = pace;
  }

  @Override
  public Future<?> start() {
    listening = bus.listen(Addresses.EVENT_BACKEND, BackendChanged.class, this::hear);
    step();
    return Future.succeededFuture();
  }

  /** Does not wait for a scan that runs: that is the worker verticle's to end. */
  @Override
  public Future<?> stop() {
    stopped = true;
    if (timer != null) {
      vertx.cancelTimer(timer);
    }
    return listening.unregister();
  }

  private void step() {
    timer = null;
    Future<Boolean> outcome = open ? check() : bringBack();
    outcome.onComplete(done -> arm(done.succeeded() ? done.result() : failed(done.cause())));
  }

  /** Whether all is well. */
  private Future<Boolean> check() {
    return bus.request(Addresses.LUN_BACKEND, new CheckBackend(), OPEN_LIMIT)
        .compose(
            checked -> {
              if (checked.same()) {
                return well();
              }
              LOG.warn("back end was started anew, its targets are brought back");
              open = false;
              return bringBack();
            });
  }

  private Future<Boolean> bringBack() {
    return bus.request(Addresses.LUN_BACKEND, new OpenBackend(), OPEN_LIMIT)
        .compose(opened -> opened.needsScan() ? scan() : Future.succeededFuture())
        .compose(
            done -> {
              open = true;
              return well();
            });
  }

  private Future<Void> scan() {
    return bus.request(Addresses.LUN_COMMAND, new Scan(Caller.LOCAL, true), SCAN_LIMIT).mapEmpty();
  }

  private Future<Boolean> well() {
    if (trouble != null) {
      LOG.info("back end answers again");
      trouble = null;
    }
    pace.succeeded();
    return Future.succeededFuture(true);
  }

  /** Said once for each reason, however often it is tried. */
  private boolean failed(Throwable failure) {
    // Rooms begin side by side: the one that keeps the back end may not be there yet.
    boolean tooEarly = failure instanceof AgentException e && e.code() == ErrorCode.STOPPING;
    if (!tooEarly && !stopped && !failure.getMessage().equals(trouble)) {
      trouble = failure.getMessage();
      LOG.warn("back end not usable, waiting for it reason={}", trouble);
    }
    return false;
  }

  private void arm(boolean well) {
    if (!stopped) {
      Duration pause = well ? pace.untilCheck() : pace.untilRetry();
      timer = vertx.setTimer(Math.max(1, pause.toMillis()), due -> step());
    }
  }

  /** Somebody else saw that the back end is in trouble: looked at now, not at the next check. */
  private void hear(BackendChanged event) {
    boolean fine = event.view().ready() && event.view().scanned();
    if (!fine && open && trouble == null && timer != null && !stopped) {
      vertx.cancelTimer(timer);
      timer = vertx.setTimer(pace.soon().toMillis(), due -> step());
    }
  }
}
