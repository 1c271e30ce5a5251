package io.incudal.agent.panel;

import io.incudal.agent.bus.Addresses;
import io.incudal.agent.bus.Bus;
import io.incudal.agent.config.PanelConfig;
import io.incudal.agent.support.Repeater;
import io.incudal.agent.upgrade.UpgradeMessages;
import io.vertx.core.Future;
import io.vertx.core.VerticleBase;
import io.vertx.core.WorkerExecutor;
import java.security.SecureRandom;
import java.time.Duration;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Beats: one heartbeat after the other, never two at a time.
 *
 * <p>An event-loop verticle; files and name look-ups go to a worker pool of its own. Hands an
 * upgrade that the panel offers to the upgrade's own verticle, and does nothing about it itself.
 */
public final class HeartbeatVerticle extends VerticleBase {
  private static final Logger LOG = LoggerFactory.getLogger(HeartbeatVerticle.class);
  private static final Duration OFFER_LIMIT = Duration.ofSeconds(10);

  private final PanelConfig config;
  private final Bus bus;
  private final RoomFigures rooms;
  private final HeartbeatSchedule schedule;
  private final BeatLog log = new BeatLog();
  private Heartbeat heartbeat;
  private Repeater repeater;
  private Duration pause;
  private boolean stopping;

  /**
   * @param node whether the Agent API runs in this process
   */
  public HeartbeatVerticle(PanelConfig config, Bus bus, boolean node) {
    this.config = config;
    this.bus = bus;
    this.rooms = new RoomFigures(bus, node);
    this.schedule = new HeartbeatSchedule(config.interval(), new SecureRandom());
  }

  @Override
  public Future<?> start() {
    WorkerExecutor worker = vertx.createSharedWorkerExecutor("heartbeat", 2);
    return Heartbeat.prepare(vertx, worker, config, rooms::read).onSuccess(this::begin);
  }

  @Override
  public Future<?> stop() {
    stopping = true;
    // A beat that waits for its answer would hold up the stop for as long as the panel likes.
    return heartbeat.close().compose(closed -> repeater.stop());
  }

  private void begin(Heartbeat prepared) {
    heartbeat = prepared;
    repeater = new Repeater(vertx, "heartbeat", this::beat, () -> pause);
    repeater.start(schedule.first());
  }

  private Future<?> beat() {
    long start = System.nanoTime();
    // What is due when a beat fails in a way that nobody foresaw.
    pause = config.interval();
    return heartbeat
        .send()
        .onSuccess(outcome -> ended(outcome, Duration.ofNanos(System.nanoTime() - start)));
  }

  private void ended(BeatOutcome outcome, Duration took) {
    if (stopping) {
      return;
    }
    pause = schedule.after(outcome, took);
    log.note(outcome);
    tell(outcome);
  }

  private void tell(BeatOutcome outcome) {
    bus.publish(Addresses.EVENT_HEARTBEAT_ENDED, new PanelMessages.HeartbeatEnded(outcome.word()));
    if (outcome instanceof BeatOutcome.Accepted accepted) {
      bus.publish(Addresses.EVENT_HEARTBEAT, new PanelMessages.HeartbeatAccepted());
      accepted.offer().ifPresent(this::handOver);
    }
  }

  private void handOver(UpgradeMessages.Offer offer) {
    bus.request(Addresses.UPGRADE_OFFER, offer, OFFER_LIMIT)
        .onFailure(failure -> LOG.warn("upgrade offer is lost", failure));
  }
}
