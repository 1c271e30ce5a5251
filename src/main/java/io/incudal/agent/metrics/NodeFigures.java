package io.incudal.agent.metrics;

import io.incudal.agent.bus.Addresses;
import io.incudal.agent.bus.AgentMessage;
import io.incudal.agent.bus.Bus;
import io.incudal.agent.bus.Request;
import io.incudal.agent.image.ImageMessages.ListMasters;
import io.incudal.agent.lun.LunMessages.BackendView;
import io.incudal.agent.lun.LunMessages.CountOperations;
import io.incudal.agent.lun.LunMessages.DescribeBackend;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.vertx.core.Future;
import java.io.File;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.function.ToDoubleFunction;

/**
 * What the node has, asked of the other rooms for each scrape. None of these questions touches a
 * target daemon; of a room that does not answer nothing is known, which is not the same as zero.
 */
final class NodeFigures {
  private static final Duration LIMIT = Duration.ofSeconds(2);

  private final Bus bus;
  private volatile Answers latest = Answers.NONE;

  private record Answers(
      Optional<BackendView> backend, Optional<Integer> masters, Optional<Integer> operations) {
    static final Answers NONE = new Answers(Optional.empty(), Optional.empty(), Optional.empty());

    double ready() {
      return backend.filter(view -> view.ready() && view.scanned()).isPresent() ? 1 : 0;
    }

    double targets() {
      return backend.stream()
          .flatMapToInt(view -> view.targets().stream())
          .asDoubleStream()
          .findAny()
          .orElse(Double.NaN);
    }
  }

  NodeFigures(Bus bus, MeterRegistry registry, Path images) {
    this.bus = bus;
    gauge(Answers::ready, "incudal.backend.ready", "1 when the back end answers and was scanned")
        .register(registry);
    gauge(Answers::targets, "incudal.targets", "Targets at the last listing").register(registry);
    gauge(known -> orUnknown(known.masters()), "incudal.masters", "Master images")
        .register(registry);
    gauge(
            known -> orUnknown(known.operations()),
            "incudal.operations",
            "Operations that run or wait")
        .register(registry);
    space(File::getUsableSpace, "incudal.image.free.bytes", "Free in the image directory", images)
        .register(registry);
    space(File::getTotalSpace, "incudal.image.size.bytes", "Size of its file system", images)
        .register(registry);
  }

  /** Asks anew; never fails. */
  Future<Void> read() {
    var backend = ask(Addresses.LUN_QUERY, new DescribeBackend());
    var masters = ask(Addresses.IMAGE_MASTERS, new ListMasters());
    var operations = ask(Addresses.LUN_QUERY, new CountOperations());
    return Future.all(backend, masters, operations)
        .map(
            all -> {
              latest =
                  new Answers(
                      backend.result(),
                      masters.result().map(list -> list.masters().size()),
                      operations.result().map(known -> known.count()));
              return null;
            });
  }

  private Gauge.Builder<?> gauge(ToDoubleFunction<Answers> figure, String name, String help) {
    return Gauge.builder(name, this, figures -> figure.applyAsDouble(figures.latest))
        .description(help);
  }

  private static Gauge.Builder<?> space(
      ToDoubleFunction<File> figure, String name, String help, Path images) {
    return Gauge.builder(name, images.toFile(), figure).strongReference(true).description(help);
  }

  private static double orUnknown(Optional<Integer> figure) {
    return figure.map(Integer::doubleValue).orElse(Double.NaN);
  }

  private <R extends AgentMessage> Future<Optional<R>> ask(String address, Request<R> question) {
    return bus.request(address, question, LIMIT)
        .map(Optional::of)
        .otherwise(unanswered -> Optional.empty());
  }
}
