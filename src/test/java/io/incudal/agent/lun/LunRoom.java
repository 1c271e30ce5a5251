package io.incudal.agent.lun;

import static org.junit.jupiter.api.Assertions.assertThrows;

import io.incudal.agent.bus.Addresses;
import io.incudal.agent.bus.AgentException;
import io.incudal.agent.bus.AgentMessage;
import io.incudal.agent.bus.Bus;
import io.incudal.agent.bus.Caller;
import io.incudal.agent.bus.Request;
import io.incudal.agent.config.BackendConfig;
import io.incudal.agent.config.HttpConfig;
import io.incudal.agent.config.ImageConfig;
import io.incudal.agent.config.NodeConfig;
import io.incudal.agent.config.QueueConfig;
import io.incudal.agent.config.TokenConfig;
import io.incudal.agent.exec.ToolListener;
import io.incudal.agent.exec.ToolRunner;
import io.incudal.agent.exec.ToolRunners;
import io.incudal.agent.lab.Lab;
import io.incudal.agent.lun.LunMessages.BackendOpened;
import io.incudal.agent.lun.LunMessages.BackendView;
import io.incudal.agent.lun.LunMessages.CreateDisk;
import io.incudal.agent.lun.LunMessages.Delete;
import io.incudal.agent.lun.LunMessages.Deleted;
import io.incudal.agent.lun.LunMessages.DescribeBackend;
import io.incudal.agent.lun.LunMessages.Exported;
import io.incudal.agent.lun.LunMessages.ListTargets;
import io.incudal.agent.lun.LunMessages.MountCd;
import io.incudal.agent.lun.LunMessages.OpenBackend;
import io.incudal.agent.lun.LunMessages.Scan;
import io.incudal.agent.lun.LunMessages.Scanned;
import io.incudal.agent.lun.LunMessages.TargetList;
import io.incudal.agent.lun.LunMessages.TargetView;
import io.incudal.agent.target.ContainerDirectory;
import io.incudal.agent.target.TargetBackend;
import io.incudal.agent.target.lio.LioBackend;
import io.incudal.agent.target.stgt.FakeTgtd;
import io.incudal.agent.target.stgt.StgtBackend;
import io.vertx.core.DeploymentOptions;
import io.vertx.core.Future;
import io.vertx.core.ThreadingModel;
import io.vertx.core.Vertx;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.stream.Stream;

/**
 * The whole worker verticle on real files, with a target daemon and an audit log in memory; driven
 * over the bus, as the HTTP side drives it.
 */
final class LunRoom {
  static final String BASE = "iqn.2026-07.com.controller";
  private static final Caller CALLER = new Caller("10.1.2.3", Optional.empty());

  Path images;
  final FakeTgtd tgtd = new FakeTgtd();
  final Bus bus;
  final FakeAudit audit;
  private final Vertx vertx;
  private Optional<Lab> lab = Optional.empty();
  private BackendConfig.Kind kind = BackendConfig.Kind.STGT;
  private boolean deleteInUse;
  private QueueConfig queue = new QueueConfig(64, 1024);
  private Duration commandTimeout = Duration.ofSeconds(30);
  private Duration limit = Duration.ofSeconds(20);
  private String deployment;

  LunRoom(Vertx vertx, Path images) {
    this.vertx = vertx;
    this.images = images;
    this.bus = Bus.install(vertx);
    this.audit = FakeAudit.serve(bus);
  }

  LunRoom withQueue(int perTarget, int total) {
    queue = new QueueConfig(perTarget, total);
    return this;
  }

  LunRoom deletingInUse() {
    deleteInUse = true;
    return this;
  }

  /** A back end that has no CDs; the daemon behind it stays the same. */
  LunRoom asLio() {
    kind = BackendConfig.Kind.LIO;
    return this;
  }

  /** With a real daemon instead of the one in memory. */
  LunRoom on(Lab real) {
    lab = Optional.of(real);
    kind = BackendConfig.Kind.valueOf(real.backend().toUpperCase(Locale.ROOT));
    limit = Duration.ofMinutes(3);
    return this;
  }

  /** With another image directory. */
  LunRoom in(Path directory) {
    images = directory;
    return this;
  }

  /** With another limit of one command. */
  LunRoom withTimeout(Duration limit) {
    commandTimeout = limit;
    return this;
  }

  LunRoom deploy() {
    NodeConfig config = config();
    ToolRunner tools =
        lab.isEmpty() ? tgtd : ToolRunners.create(vertx, config.backend(), ToolListener.NONE);
    TargetBackend backend =
        lab.isPresent() && kind == BackendConfig.Kind.LIO
            ? new LioBackend(vertx, tools, config)
            : new StgtBackend(vertx, tools, config.backend(), BASE);
    var verticle =
        new LunVerticle(
            bus,
            config,
            new LunVerticle.Daemon(backend, new ContainerDirectory(tools, images)),
            LunListener.NONE);
    var worker = new DeploymentOptions().setThreadingModel(ThreadingModel.WORKER);
    deployment = vertx.deployVerticle(verticle, worker).await();
    return this;
  }

  /** Deployed, and the back end open and scanned. */
  LunRoom open() {
    deploy();
    bringBack();
    return this;
  }

  Scanned bringBack() {
    openBackend();
    return autoScan().await();
  }

  BackendOpened openBackend() {
    return ask(Addresses.LUN_BACKEND, new OpenBackend()).await();
  }

  Future<Scanned> autoScan() {
    return ask(Addresses.LUN_COMMAND, new Scan(Caller.LOCAL, true));
  }

  Future<Void> undeploy() {
    return vertx.undeploy(deployment);
  }

  Future<Exported> disk(Object... members) {
    return ask(Addresses.LUN_COMMAND, new CreateDisk(CALLER, sent(members)));
  }

  Future<Exported> cd(Object... members) {
    return ask(Addresses.LUN_COMMAND, new MountCd(CALLER, sent(members)));
  }

  Future<Deleted> delete(Object... members) {
    return ask(Addresses.LUN_COMMAND, new Delete(CALLER, sent(members)));
  }

  Future<Scanned> scan() {
    return ask(Addresses.LUN_COMMAND, new Scan(CALLER, false));
  }

  Future<TargetList> list() {
    return ask(Addresses.LUN_QUERY, new ListTargets());
  }

  /** Every target of the lab: by the agent, or by hand where the agent may not. */
  void removeTargets() {
    List<Future<?>> gone = new ArrayList<>();
    for (TargetView target : list().await().targets()) {
      if (target.iqn().startsWith(BASE)) {
        gone.add(delete("iqn", target.iqn(), "force", "true"));
      } else {
        lab.orElseThrow().removeByHand(target.iqn());
      }
    }
    Future.all(gone).await();
  }

  List<String> names() {
    return list().await().targets().stream().map(TargetView::iqn).toList();
  }

  BackendView view() {
    return ask(Addresses.LUN_QUERY, new DescribeBackend()).await();
  }

  <R extends AgentMessage> Future<R> ask(String address, Request<R> request) {
    return bus.request(address, request, limit);
  }

  static AgentException failure(Future<?> future) {
    return assertThrows(AgentException.class, future::await);
  }

  static String iqn(String suffix) {
    return BASE + ":" + suffix;
  }

  /** A sparse file in the image directory. */
  Path file(String name, long bytes) {
    Path file = images.resolve(name);
    try (var made = new RandomAccessFile(file.toFile(), "rw")) {
      made.setLength(bytes);
      return file;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Everything in the image directory, hidden files too. */
  List<String> files() {
    try (Stream<Path> all = Files.list(images)) {
      return all.map(path -> path.getFileName().toString()).sorted().toList();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static Sent sent(Object... members) {
    Map<String, Object> map = new HashMap<>();
    for (int i = 0; i < members.length; i += 2) {
      map.put((String) members[i], members[i + 1]);
    }
    return new Sent(map);
  }

  private NodeConfig config() {
    return new NodeConfig(
        new HttpConfig("127.0.0.1", 0, Optional.empty()),
        new TokenConfig(Optional.empty(), Optional.empty(), Optional.empty()),
        Optional.empty(),
        BASE,
        new BackendConfig(
            kind,
            BackendConfig.Executor.DOCKER,
            lab.map(Lab::container).orElse(""),
            lab.map(real -> real.settings().get("DOCKER_HOST")).orElse(""),
            commandTimeout,
            OptionalInt.empty(),
            true,
            deleteInUse),
        new ImageConfig(images, 1L << 44, Duration.ofSeconds(30), 2),
        images.resolve("unused"),
        queue,
        Duration.ofSeconds(3));
  }
}
