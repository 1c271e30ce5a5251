package io.incudal.agent.metrics;

import io.incudal.agent.api.RequestListener;
import io.incudal.agent.audit.AuditListener;
import io.incudal.agent.exec.ToolListener;
import io.incudal.agent.image.CloneMode;
import io.incudal.agent.lun.LunListener;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Gauge;
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
    restarts =
        counter("incudal.tool.session.restarts", "Sessions in the container begun again after one")
            .register(registry);
    unwritten =
        counter("incudal.audit.failures", "Entries that could not be written to the audit log")
            .register(registry);
    toolWaits =
        timer("incudal.tool.wait", "Waits of commands for their turn in the session")
            .register(registry);
    turnWaits =
        timer("incudal.turn.wait", "Waits behind earlier operations of the same target")
            .register(registry);
    auditLag =
        timer("incudal.audit.lag", "From an entry's request until it was synced, or could not be")
            .register(registry);
    Gauge.builder("incudal.http.active.requests", active, AtomicInteger::get)
        .description("Requests that have no answer yet")
        .register(registry);
    Gauge.builder(
            "incudal.tls.certificate.expiry.timestamp.seconds", this, own -> own.certificateEnd)
        .description("When the certificate in use ends, in seconds since 1970; NaN without TLS")
        .register(registry);
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
        timer("incudal.tool.command", "Commands in the session, from start to end")
            .tags("tool", command.tool(), "outcome", command.outcome())
            .register(registry)
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
    return timer("incudal.http.request", "Requests, from their head's arrival to the answer's end")
        .tags("method", kind.method(), "route", kind.route(), "code", "" + kind.status())
        .register(registry);
  }

  private Timer clones(CloneMode mode) {
    return timer("incudal.clone", "Copies of masters").tag("mode", word(mode)).register(registry);
  }

  private Counter cloneBytes(CloneMode mode) {
    return counter("incudal.clone.bytes", "Sizes of the masters copied, holes included")
        .tag("mode", word(mode))
        .register(registry);
  }

  private static Timer.Builder timer(String name, String help) {
    return Timer.builder(name).description(help);
  }

  private static Counter.Builder counter(String name, String help) {
    return Counter.builder(name).description(help);
  }

  private static String word(CloneMode mode) {
    return mode.name().toLowerCase(Locale.ROOT);
  }
}
