package io.incudal.agent;

import io.incudal.agent.api.HttpVerticle;
import io.incudal.agent.audit.AuditVerticle;
import io.incudal.agent.bus.Bus;
import io.incudal.agent.config.AgentConfig;
import io.incudal.agent.config.KnownSecrets;
import io.incudal.agent.config.NodeConfig;
import io.incudal.agent.config.PanelConfig;
import io.incudal.agent.exec.ToolRunner;
import io.incudal.agent.exec.ToolRunners;
import io.incudal.agent.image.MastersVerticle;
import io.incudal.agent.log.LevelsVerticle;
import io.incudal.agent.lun.LunVerticle;
import io.incudal.agent.metrics.Meters;
import io.incudal.agent.metrics.MetricsVerticle;
import io.incudal.agent.panel.HeartbeatVerticle;
import io.incudal.agent.scan.AutoScanVerticle;
import io.incudal.agent.support.AgentVersion;
import io.incudal.agent.target.ContainerDirectory;
import io.incudal.agent.target.TargetBackend;
import io.incudal.agent.target.lio.LioBackend;
import io.incudal.agent.target.stgt.StgtBackend;
import io.incudal.agent.upgrade.UpgradeVerticle;
import io.vertx.core.Deployable;
import io.vertx.core.DeploymentOptions;
import io.vertx.core.Future;
import io.vertx.core.ThreadingModel;
import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Optional;

/**
 * Builds the rooms, and takes them down in an order in which nothing is asked of a room that is
 * gone. Owns the Vert.x instance. Used by one thread at a time, which it never blocks.
 */
final class Agent {
  private static final int EVENT_LOOPS = 2;
  private static final int WORKERS = 4;
  private static final DeploymentOptions WORKER =
      new DeploymentOptions().setThreadingModel(ThreadingModel.WORKER);

  /** Only of the Agent API, which shows them. */
  private final Optional<Meters> meters;

  private final Vertx vertx;
  private final AgentConfig config;
  private final KnownSecrets secrets;
  private final Bus bus;

  /** Rooms that begin work by themselves or take it from outside; they stop together, first. */
  private final List<Future<String>> front = new ArrayList<>();

  /** Rooms that those ask, each before those that ask it. */
  private final Deque<Future<String>> back = new ArrayDeque<>();

  private HttpVerticle http;

  Agent(AgentConfig config, KnownSecrets secrets) {
    this.meters = config.node().map(node -> new Meters());
    this.vertx = meters.map(known -> known.vertx(options())).orElseGet(Agent::vertx);
    this.config = config;
    this.secrets = secrets;
    this.bus = Bus.install(vertx);
  }

  /** Where the started Agent API listens. */
  int port() {
    return http.port();
  }

  /** A small one: work that blocks runs on pools that the rooms make for themselves. */
  static Vertx vertx() {
    return Vertx.vertx(options());
  }

  private static VertxOptions options() {
    return new VertxOptions()
        .setEventLoopPoolSize(EVENT_LOOPS)
        .setWorkerPoolSize(WORKERS)
        .setInternalBlockingPoolSize(WORKERS);
  }

  /** Fails when a room cannot begin, such as when the port is taken; then {@link #stop} it. */
  Future<Void> start() {
    config
        .log()
        .levelsFile()
        .ifPresent(file -> front.add(deploy(new LevelsVerticle(config.log(), file))));
    config.node().ifPresent(node -> startNode(node, meters.orElseThrow()));
    config.panel().ifPresent(this::startPanel);
    List<Future<String>> all = new ArrayList<>(front);
    all.addAll(back);
    return Future.all(all).mapEmpty();
  }

  private void startPanel(PanelConfig panel) {
    front.add(deploy(new UpgradeVerticle(panel, bus)));
    front.add(deploy(new HeartbeatVerticle(panel, bus, config.node().isPresent())));
  }

  /** The server comes first, so that {@code healthz} answers while the rest is being built. */
  private void startNode(NodeConfig node, Meters measured) {
    http = new HttpVerticle(bus, node, AgentVersion.current(), measured.requests());
    Future<String> server = deploy(http);
    front.add(server);
    back.add(deploy(new MetricsVerticle(bus, measured, node, config.panel().isPresent())));
    back.add(
        deploy(new AuditVerticle(bus, node.auditFile(), secrets::refreshed, measured.audit())));
    back.add(deploy(new MastersVerticle(bus, node.images())));
    Future<String> targets = vertx.deployVerticle(targets(node, measured), WORKER);
    back.add(targets);
    // Last, because it is the one that loads docker-java, which takes longer than all the rest.
    front.add(Future.all(server, targets).compose(up -> deploy(new AutoScanVerticle(bus))));
  }

  private LunVerticle targets(NodeConfig node, Meters measured) {
    ToolRunner tools = ToolRunners.create(vertx, node.backend(), measured.tools());
    var seen = new ContainerDirectory(tools, node.images().directory());
    var daemon = new LunVerticle.Daemon(backend(node, tools), seen);
    return new LunVerticle(bus, node, daemon, measured.targets());
  }

  private TargetBackend backend(NodeConfig node, ToolRunner tools) {
    return switch (node.backend().kind()) {
      case STGT -> new StgtBackend(vertx, tools, node.backend(), node.iqnBase());
      case LIO -> new LioBackend(vertx, tools, node);
    };
  }

  private Future<String> deploy(Deployable room) {
    return vertx.deployVerticle(room);
  }

  /** Refuses new work, lets the running work end, and closes everything. */
  Future<Void> stop() {
    Future<?> stopped = Future.join(front.stream().map(this::undeploy).toList());
    while (!back.isEmpty()) {
      Future<String> room = back.removeLast();
      stopped = stopped.eventually(() -> undeploy(room));
    }
    return stopped.eventually(vertx::close).mapEmpty();
  }

  private Future<Void> undeploy(Future<String> room) {
    return room.transform(
        (id, neverBegan) -> neverBegan == null ? vertx.undeploy(id) : Future.succeededFuture());
  }
}
