package io.incudal.agent.metrics;

import io.incudal.agent.api.RequestListener;
import io.incudal.agent.audit.AuditListener;
import io.incudal.agent.exec.ToolListener;
import io.incudal.agent.image.CloneMode;
import io.incudal.agent.lun.LunListener;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Timer;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import io.vertx.micrometer.Label;
import io.vertx.micrometer.MetricsDomain;
import io.vertx.micrometer.MicrometerMetricsFactory;
import io.vertx.micrometer.MicrometerMetricsOptions;
import java.time.Duration;
import java.time.Instant;
import java.util.EnumSet;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Owns the registry, and hears what the rooms tell: they know listeners of their own, and nothing
 * of measurements. No label holds what a caller chose, so their number is bounded; no target is
 * named. Thread-safe; counting neither blocks nor fails.
 */
public final class Meters {
  private static final Set<String> METHODS =
      Set.of("GET", "HEAD", "POST", "PUT", "DELETE", "PATCH", "OPTIONS");

  private final PrometheusMeterRegistry registry =
      new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
  private final AtomicInteger active = new AtomicInteger();

  /** In seconds since 1970; no number without TLS. */
  private volatile double certificateEnd = Double.NaN;

  /** To look a timer up by its name costs more than to answer a request. */
  private final Map<RequestKind, Timer> requests = new ConcurrentHashMap<>();

  private final Counter restarts;
  private final Counter unwritten;
  private final Timer toolWaits;
  private final Timer turnWaits;
  private final Timer auditLag;

  /** Those that have no labels are there, at zero, from the beginning. */
  public Meters() {
    restarts = registry.counter("incudal.tool.session.restarts");
    unwritten = registry.counter("incudal.audit.failures");
    toolWaits = registry.timer("incudal.tool.wait");
    turnWaits = registry.timer("incudal.turn.wait");
    auditLag = registry.timer("incudal.audit.lag");
    registry.gauge("incudal.http.active.requests", active);
    registry.gauge(
        "incudal.tls.certificate.expiry.timestamp.seconds", this, own -> own.certificateEnd);
    for (CloneMode mode : CloneMode.values()) {
      clones(mode);
      cloneBytes(mode);
    }
  }

  private record RequestKind(String method, String route, int status) {}

  /**
   * A Vert.x whose worker pools are measured too. What it measures of an HTTP server nearly halves
   * the rate of it, so requests are counted by {@link #requests}.
   */
  public Vertx vertx(VertxOptions options) {
    EnumSet<MetricsDomain> unmeasured = EnumSet.allOf(MetricsDomain.class);
    unmeasured.remove(MetricsDomain.NAMED_POOLS);
    var measured =
        new MicrometerMetricsOptions().setEnabled(true).setLabels(EnumSet.of(Label.POOL_NAME));
    unmeasured.forEach(measured::addDisabledMetricsCategory);
    return Vertx.builder()
        .with(options.setMetricsOptions(measured))
        .withMetrics(new MicrometerMetricsFactory(registry))
        .build();
  }

  public RequestListener requests() {
    return new RequestListener() {
      @Override
      public void requestBegan() {
        active.incrementAndGet();
      }

      @Override
      public void requestEnded(Ended request) {
        active.decrementAndGet();
        // Anyone may send any word as a method; each would stay in memory.
        String method = METHODS.contains(request.method()) ? request.method() : "other";
        requests
            .computeIfAbsent(
                new RequestKind(method, request.route(), request.status()), Meters.this::timer)
            .record(request.took());
      }

      @Override
      public void certificateTaken(Instant end) {
        certificateEnd = end.getEpochSecond();
      }
    };
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

  private Timer timer(RequestKind kind) {
    return registry.timer(
        "incudal.http.request",
        "method",
        kind.method(),
        "route",
        kind.route(),
        "code",
        String.valueOf(kind.status()));
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
