package io.incudal.agent.metrics;

import io.incudal.agent.audit.AuditListener;
import io.incudal.agent.exec.ToolListener;
import io.incudal.agent.image.CloneMode;
import io.incudal.agent.lun.LunListener;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Timer;
import io.micrometer.core.instrument.config.MeterFilter;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import io.vertx.micrometer.Label;
import io.vertx.micrometer.MetricsDomain;
import io.vertx.micrometer.MicrometerMetricsFactory;
import io.vertx.micrometer.MicrometerMetricsOptions;
import java.time.Duration;
import java.util.EnumSet;
import java.util.Locale;
import java.util.Set;

/**
 * Owns the registry, and hears what the rooms tell: they know listeners of their own, and nothing
 * of measurements. No label holds what a caller chose, so their number is bounded; no target is
 * named. Thread-safe; counting neither blocks nor fails.
 */
public final class Meters {
  private static final Set<String> METHODS =
      Set.of("GET", "HEAD", "POST", "PUT", "DELETE", "PATCH", "OPTIONS");

  private static final Set<String> REQUEST_METERS =
      Set.of("vertx.http.server.response.time", "vertx.http.server.active.requests");

  private final PrometheusMeterRegistry registry =
      new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
  private final Counter restarts;
  private final Counter unwritten;
  private final Timer toolWaits;
  private final Timer turnWaits;
  private final Timer auditLag;

  /** Those that have no labels are there, at zero, from the beginning. */
  public Meters() {
    registry
        .config()
        // Anyone may send any word as a method; each would stay in memory.
        .meterFilter(
            MeterFilter.replaceTagValues(
                "method", method -> METHODS.contains(method) ? method : "other"))
        // Each further one costs every request, and says what these two say.
        .meterFilter(
            MeterFilter.deny(
                id ->
                    id.getName().startsWith("vertx.http.server.")
                        && !REQUEST_METERS.contains(id.getName())));
    restarts = registry.counter("incudal.tool.session.restarts");
    unwritten = registry.counter("incudal.audit.failures");
    toolWaits = registry.timer("incudal.tool.wait");
    turnWaits = registry.timer("incudal.turn.wait");
    auditLag = registry.timer("incudal.audit.lag");
    for (CloneMode mode : CloneMode.values()) {
      clones(mode);
      cloneBytes(mode);
    }
  }

  /** A Vert.x whose HTTP server and worker pools are measured too. */
  public Vertx vertx(VertxOptions options) {
    EnumSet<MetricsDomain> unmeasured = EnumSet.allOf(MetricsDomain.class);
    unmeasured.removeAll(Set.of(MetricsDomain.HTTP_SERVER, MetricsDomain.NAMED_POOLS));
    var measured =
        new MicrometerMetricsOptions()
            .setEnabled(true)
            .setLabels(
                EnumSet.of(Label.HTTP_ROUTE, Label.HTTP_METHOD, Label.HTTP_CODE, Label.POOL_NAME));
    unmeasured.forEach(measured::addDisabledMetricsCategory);
    return Vertx.builder()
        .with(options.setMetricsOptions(measured))
        .withMetrics(new MicrometerMetricsFactory(registry))
        .build();
  }

  public ToolListener tools() {
    return new ToolListener() {
      @Override
      public void commandEnded(Ended command) {
        toolWaits.record(command.waited());
        registry
            .timer("incudal.tool.command", "tool", command.tool(), "outcome", command.outcome())
            .record(command.took());
      }

      @Override
      public void sessionOpened(boolean again) {
        if (again) {
          restarts.increment();
        }
      }
    };
  }

  public LunListener targets() {
    return new LunListener() {
      @Override
      public void turnBegan(Duration waited) {
        turnWaits.record(waited);
      }

      @Override
      public void cloned(CloneMode mode, long bytes, Duration took) {
        clones(mode).record(took);
        cloneBytes(mode).increment(bytes);
      }
    };
  }

  public AuditListener audit() {
    return (lag, written) -> {
      auditLag.record(lag);
      if (!written) {
        unwritten.increment();
      }
    };
  }

  PrometheusMeterRegistry registry() {
    return registry;
  }

  private Timer clones(CloneMode mode) {
    return registry.timer("incudal.clone", "mode", word(mode));
  }

  private Counter cloneBytes(CloneMode mode) {
    return registry.counter("incudal.clone.bytes", "mode", word(mode));
  }

  private static String word(CloneMode mode) {
    return mode.name().toLowerCase(Locale.ROOT);
  }
}
