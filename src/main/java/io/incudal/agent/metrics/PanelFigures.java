package io.incudal.agent.metrics;

import io.incudal.agent.bus.Addresses;
import io.incudal.agent.bus.Bus;
import io.incudal.agent.panel.PanelMessages.HeartbeatEnded;
import io.incudal.agent.upgrade.UpgradeMessages.Attempt;
import io.incudal.agent.upgrade.UpgradeMessages.ReadStatus;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.MultiGauge;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.TimeGauge;
import io.vertx.core.Future;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** How the heartbeats end, and how far an upgrade is; only where there is a panel. */
final class PanelFigures {
  private static final Duration LIMIT = Duration.ofSeconds(2);
  private static final String ACCEPTED = "accepted";

  private final Bus bus;
  private final MeterRegistry registry;
  private final MultiGauge phase;
  private volatile long accepted = System.nanoTime();

  PanelFigures(Bus bus, MeterRegistry registry) {
    this.bus = bus;
    this.registry = registry;
    this.phase =
        MultiGauge.builder("incudal.upgrade.phase")
            .description("1 at the phase of the last upgrade, as the heartbeat names it")
            .register(registry);
    TimeGauge.builder(
            "incudal.heartbeat.age",
            this,
            TimeUnit.NANOSECONDS,
            figures -> System.nanoTime() - figures.accepted)
        .description("Since the last accepted heartbeat, or the start when there was none")
        .register(registry);
    List.of(ACCEPTED, "refused", "unreachable").forEach(this::count);
    show("none");
  }

  Bus.Registration listen() {
    return bus.listen(Addresses.EVENT_HEARTBEAT_ENDED, HeartbeatEnded.class, this::ended);
  }

  /** Asks anew; never fails. */
  Future<Void> read() {
    return bus.request(Addresses.UPGRADE_STATUS, new ReadStatus(), LIMIT)
        .map(status -> status.last().map(Attempt::phase).orElse("none"))
        .otherwise("unknown")
        .map(
            word -> {
              show(word);
              return null;
            });
  }

  private void ended(HeartbeatEnded beat) {
    count(beat.outcome()).increment();
    if (beat.outcome().equals(ACCEPTED)) {
      accepted = System.nanoTime();
    }
  }

  private Counter count(String outcome) {
    return Counter.builder("incudal.heartbeats")
        .description("Heartbeats that ended")
        .tag("outcome", outcome)
        .register(registry);
  }

  private void show(String word) {
    phase.register(List.of(MultiGauge.Row.of(Tags.of("phase", word), 1)), true);
  }
}
