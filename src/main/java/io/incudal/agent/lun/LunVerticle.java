package io.incudal.agent.lun;

import io.incudal.agent.bus.Addresses;
import io.incudal.agent.bus.AgentMessage;
import io.incudal.agent.bus.Bus;
import io.incudal.agent.config.NodeConfig;
import io.incudal.agent.image.ImageStore;
import io.incudal.agent.lun.LunMessages.BackendChanged;
import io.incudal.agent.lun.LunMessages.Command;
import io.incudal.agent.lun.LunMessages.CountOperations;
import io.incudal.agent.lun.LunMessages.DescribeBackend;
import io.incudal.agent.lun.LunMessages.DescribeCapabilities;
import io.incudal.agent.lun.LunMessages.OpenBackend;
import io.incudal.agent.lun.LunMessages.Operations;
import io.incudal.agent.lun.LunMessages.Query;
import io.incudal.agent.lun.LunMessages.TargetsChanged;
import io.incudal.agent.lun.LunMessages.Watch;
import io.incudal.agent.target.ContainerDirectory;
import io.incudal.agent.target.TargetBackend;
import io.vertx.core.Future;
import io.vertx.core.VerticleBase;
import io.vertx.core.WorkerExecutor;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Serves commands and queries on targets. To be deployed once only, as a WORKER: all turns are kept
 * on its one context, whose handlers never block. Files are touched on two pools of its own, which
 * stopping drains.
 */
public final class LunVerticle extends VerticleBase {
  private static final Logger LOG = LoggerFactory.getLogger(LunVerticle.class);

  // Nearly all of them wait for a sync, which file systems do for many at once: 16 make 200 clones
  // in a third of the time that 4 need.
  private static final int FILE_THREADS = 16;
  // Only to be warned of; a copy may take as long as it needs.
  private static final long LONG_COPY_HOURS = 24;

  /** How long a listing or a deletion waits until the targets are back. */
  private static final Duration PATIENCE = Duration.ofSeconds(10);

  /** A listing that follows one for many deletions waits a millisecond for each, up to this. */
  private static final long GATHERING_MS = 40;

  private final Bus bus;
  private final NodeConfig config;
  private final TargetBackend backend;
  private final ContainerDirectory seen;
  private final LunListener listener;
  private final List<Bus.Registration> served = new ArrayList<>();
  private ImageStore images;
  private MountCheck mounts;
  private LunCommands commands;
  private LunQueries queries;

  /**
   * @param backend closed with this verticle
   * @param seen the image directory as the target daemon sees it
   */
  public record Daemon(TargetBackend backend, ContainerDirectory seen) {}

  public LunVerticle(Bus bus, NodeConfig config, Daemon daemon, LunListener listener) {
    this.bus = bus;
    this.config = config;
    this.backend = daemon.backend();
    this.seen = daemon.seen();
    this.listener = listener;
  }

  @Override
  public Future<?> start() {
    WorkerExecutor files = vertx.createSharedWorkerExecutor("files", FILE_THREADS);
    int parallel = config.images().parallelCopies();
    images =
        new ImageStore(
            config.images(),
            files,
            vertx.createSharedWorkerExecutor("copies", parallel, LONG_COPY_HOURS, TimeUnit.HOURS),
            listener);
    assemble(new ImagePaths(config.images().directory(), files));
    return images.sweep().otherwise(LunVerticle::unswept).onSuccess(swept -> serve());
  }

  private void assemble(ImagePaths paths) {
    var recovery =
        new Recovery(
            PATIENCE, view -> bus.publish(Addresses.EVENT_BACKEND, new BackendChanged(view)));
    var exports =
        new Exports(
            backend,
            recovery,
            count -> bus.publish(Addresses.EVENT_TARGETS, new TargetsChanged(count)),
            crowd -> vertx.timer(Math.min(crowd, GATHERING_MS), TimeUnit.MILLISECONDS));
    mounts = new MountCheck(paths, seen);
    queries = new LunQueries(config, backend, exports, recovery);
    commands =
        new LunCommands(
            bus,
            config,
            new LunCommands.Exporting(
                backend, exports, recovery, new Turns(config.queue(), listener)),
            new LunCommands.Storage(images, paths));
  }

  /** A directory that is not there yet may be mounted later; the agent serves all the same. */
  private static Integer unswept(Throwable failure) {
    LOG.warn("image directory not swept reason={}", failure.getMessage());
    return 0;
  }

  private void serve() {
    served.add(bus.serve(Addresses.LUN_COMMAND, Command.class, commands::perform));
    served.add(bus.serve(Addresses.LUN_QUERY, Query.class, this::answer));
    served.add(bus.serve(Addresses.LUN_BACKEND, Watch.class, this::watch));
  }

  private Future<? extends AgentMessage> answer(Query<?> query) {
    if (query instanceof DescribeCapabilities) {
      return queries.capabilities(images);
    }
    if (query instanceof DescribeBackend) {
      return queries.view();
    }
    return query instanceof CountOperations
        ? Future.succeededFuture(new Operations(commands.underWay()))
        : queries.list();
  }

  private Future<? extends AgentMessage> watch(Watch<?> watch) {
    return watch instanceof OpenBackend ? queries.open(mounts) : queries.check();
  }

  /** Copies that take too long are given up before the time to stop is over. */
  @Override
  public Future<?> stop() {
    long patience = config.stopTimeout().toMillis() * 2 / 3;
    long timer = vertx.setTimer(Math.max(1, patience), late -> images.cancelCopies());
    return Future.join(served.stream().map(Bus.Registration::unregister).toList())
        .transform(unregistered -> commands.close())
        .transform(drained -> backend.close())
        .andThen(closed -> vertx.cancelTimer(timer));
  }
}
