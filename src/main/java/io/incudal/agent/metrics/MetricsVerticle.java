package io.incudal.agent.metrics;

import io.incudal.agent.bus.Addresses;
import io.incudal.agent.bus.Bus;
import io.incudal.agent.config.NodeConfig;
import io.incudal.agent.metrics.MetricsMessages.Scrape;
import io.incudal.agent.metrics.MetricsMessages.Text;
import io.micrometer.core.instrument.binder.jvm.JvmGcMetrics;
import io.micrometer.core.instrument.binder.jvm.JvmMemoryMetrics;
import io.micrometer.core.instrument.binder.jvm.JvmThreadMetrics;
import io.micrometer.core.instrument.binder.system.ProcessorMetrics;
import io.micrometer.core.instrument.binder.system.UptimeMetrics;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import io.vertx.core.Future;
import io.vertx.core.VerticleBase;
import io.vertx.core.WorkerExecutor;
import io.vertx.core.buffer.Buffer;
import java.util.ArrayList;
import java.util.List;

/**
 * Serves the measurements. Asks the other rooms on the event loop, and renders on a thread of its
 * own, because a file system is asked for its space then.
 *
 * <p>The JVM is measured from the first scrape on: where nobody scrapes, management beans would
 * only cost memory and time to start.
 */
public final class MetricsVerticle extends VerticleBase {
  private final Bus bus;
  private final PrometheusMeterRegistry registry;
  private final NodeFigures node;
  private final List<PanelFigures> panel;
  private final List<Bus.Registration> served = new ArrayList<>();
  private final JvmGcMetrics collections = new JvmGcMetrics();
  private WorkerExecutor worker;

  /** Of the worker's one thread. */
  private boolean bound;

  /**
   * @param panel whether this process sends heartbeats
   */
  public MetricsVerticle(Bus bus, Meters meters, NodeConfig config, boolean panel) {
    this.bus = bus;
    this.registry = meters.registry();
    this.node = new NodeFigures(bus, registry, config.images().directory());
    this.panel = panel ? List.of(new PanelFigures(bus, registry)) : List.of();
  }

  @Override
  public Future<?> start() {
    worker = vertx.createSharedWorkerExecutor("metrics", 1);
    panel.forEach(figures -> served.add(figures.listen()));
    served.add(bus.serve(Addresses.METRICS_SCRAPE, Scrape.class, ask -> scrape()));
    return Future.succeededFuture();
  }

  @Override
  public Future<?> stop() {
    return Future.join(served.stream().map(Bus.Registration::unregister).toList())
        .eventually(worker::close)
        .andThen(stopped -> collections.close());
  }

  private Future<Text> scrape() {
    List<Future<Void>> asked = new ArrayList<>(List.of(node.read()));
    panel.forEach(figures -> asked.add(figures.read()));
    return Future.all(asked).compose(read -> worker.executeBlocking(this::render, true));
  }

  private Text render() {
    if (!bound) {
      bound = true;
      bindJvm();
    }
    return new Text(Buffer.buffer(registry.scrape()));
  }

  private void bindJvm() {
    new JvmMemoryMetrics().bindTo(registry);
    new JvmThreadMetrics().bindTo(registry);
    new ProcessorMetrics().bindTo(registry);
    new UptimeMetrics().bindTo(registry);
    collections.bindTo(registry);
  }
}
