package io.incudal.agent.image;

import io.incudal.agent.bus.Addresses;
import io.incudal.agent.bus.Bus;
import io.incudal.agent.config.ImageConfig;
import io.incudal.agent.image.ImageMessages.ListMasters;
import io.incudal.agent.image.ImageMessages.MasterList;
import io.incudal.agent.support.Repeater;
import io.vertx.core.Future;
import io.vertx.core.VerticleBase;
import io.vertx.core.WorkerExecutor;
import java.time.Duration;
import java.util.function.Supplier;

/**
 * Answers which master images there are, from memory. Reads the directory on a thread of its own,
 * again and again; a request that comes before the first reading has ended waits for it. Never
 * touches the disk on an event loop.
 */
public final class MastersVerticle extends VerticleBase {
  // Until there is a list, such as before the directory is mounted, every request fails.
  private static final Duration UNTIL_KNOWN = Duration.ofSeconds(2);

  private final Bus bus;
  private final ImageDirectory directory;
  private final Duration interval;
  private final MastersCache cache = new MastersCache();
  private WorkerExecutor reader;
  private Repeater repeater;
  private Bus.Registration registration;
  private Future<Void> firstReading;

  public MastersVerticle(Bus bus, ImageConfig config) {
    this.bus = bus;
    this.directory = new ImageDirectory(config.directory());
    this.interval = config.mastersInterval();
  }

  @Override
  public Future<?> start() {
    reader = vertx.createSharedWorkerExecutor("masters", 1);
    repeater = new Repeater(vertx, "masters", this::read, pause());
    firstReading = repeater.start(Duration.ZERO);
    registration = bus.serve(Addresses.IMAGE_MASTERS, ListMasters.class, this::answer);
    return Future.succeededFuture();
  }

  @Override
  public Future<?> stop() {
    return registration.unregister().compose(done -> repeater.stop());
  }

  private Future<MasterList> answer(ListMasters request) {
    return cache.known() ? cache.answer() : firstReading.compose(done -> cache.answer());
  }

  private Future<?> read() {
    return reader.executeBlocking(() -> MastersCache.read(directory), false).transform(cache::keep);
  }

  private Supplier<Duration> pause() {
    Supplier<Duration> usual = Repeater.jittered(interval);
    return () -> cache.known() || interval.compareTo(UNTIL_KNOWN) < 0 ? usual.get() : UNTIL_KNOWN;
  }
}
