package io.incudal.agent.api;

import io.incudal.agent.api.ApiRoutes.Endpoint;
import io.incudal.agent.bus.Bus;
import io.incudal.agent.config.NodeConfig;
import io.vertx.core.Future;
import io.vertx.core.VerticleBase;
import io.vertx.core.WorkerExecutor;
import io.vertx.core.http.HttpServer;
import io.vertx.core.http.HttpServerOptions;
import io.vertx.ext.web.Router;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The Agent API's server and everything that belongs to it.
 *
 * <p>Deployed once, on an event loop: one loop serves tens of thousands of requests a second, which
 * no Control Plane asks of one node, and everything in this room may then be plain fields. Never
 * blocks, and never decides what a request means.
 *
 * <p>Stopping it refuses new requests with {@code stopping}, waits for those in flight, and closes
 * the server last; the verticles behind it have to outlive it.
 */
public final class HttpVerticle extends VerticleBase {
  private static final Logger LOG = LoggerFactory.getLogger(HttpVerticle.class);
  private static final int MAX_CONNECTIONS = 2048;

  /** Longer than what common clients keep idle connections, so that it is they who close them. */
  private static final Duration PATIENCE = Duration.ofSeconds(120);

  private static final Duration TOKEN_INTERVAL = Duration.ofSeconds(2);

  /** Reads beside a full queue of commands. */
  private static final int READS = 256;

  private static final int CLOSE_SECONDS = 2;

  private final Bus bus;
  private final NodeConfig config;
  private final String version;
  private final TokenAuth auth = new TokenAuth();

  private TokenSource tokens;
  private Connections connections;
  private WorkerExecutor renderer;
  private HttpServer server;
  private Gate gate;

  /**
   * @param version of the agent, as {@code GET /capabilities} shows it
   */
  public HttpVerticle(Bus bus, NodeConfig config, String version) {
    this.bus = bus;
    this.config = config;
    this.version = version;
  }

  /** Listens at once; completes when all of the contract is served. */
  @Override
  public Future<?> start() {
    tokens = new TokenSource(vertx, config.token(), TOKEN_INTERVAL, auth::accept);
    connections = new Connections(vertx, MAX_CONNECTIONS, PATIENCE);
    renderer = vertx.createSharedWorkerExecutor("api-renderer", 1);
    var replies = new Replies(vertx, connections);
    Future<Router> routes = Contract.load(vertx).map(contract -> router(contract, replies));
    var door = new Door(new RequestIds(auth::accepts), connections, replies, routes);
    server =
        vertx
            .createHttpServer(options())
            .connectionHandler(connections::opened)
            .requestHandler(door)
            .invalidRequestHandler(door::malformed);
    connections.watch();
    return tokens
        .open()
        .compose(read -> server.listen())
        .onSuccess(
            listening -> LOG.info("http listening host={} port={}", config.http().host(), port()))
        .compose(listening -> routes);
  }

  @Override
  public Future<?> stop() {
    return gate.stop()
        .timeout(config.stopTimeout().toMillis(), TimeUnit.MILLISECONDS)
        .recover(late -> giveUp())
        .compose(done -> server.shutdown(CLOSE_SECONDS, TimeUnit.SECONDS))
        .eventually(
            () -> {
              tokens.close();
              connections.close();
              return renderer.close();
            });
  }

  /** The port that the server listens on, once it is started. */
  public int port() {
    return server.actualPort();
  }

  private HttpServerOptions options() {
    return new HttpServerOptions()
        .setHost(config.http().host())
        .setPort(config.http().port())
        .setHttp2ClearTextEnabled(false)
        .setMaxInitialLineLength(8 * 1024)
        .setMaxHeaderSize(16 * 1024)
        .setAcceptBacklog(1024)
        // Finds peers that vanished while an operation of theirs takes hours.
        .setTcpKeepAlive(true);
  }

  private Router router(Contract contract, Replies replies) {
    gate = new Gate(contract, auth, config.queue().total() + READS);
    return new ApiRoutes(vertx, contract, gate, replies).build(endpoints(contract));
  }

  private Map<String, Endpoint> endpoints(Contract contract) {
    var limits = Limits.of(config);
    var node = new NodeEndpoints(bus, limits, version, contract.document());
    var targets =
        new TargetEndpoints(
            bus,
            new TargetEndpoints.Settings(limits, config.iqnBase()),
            new BodyReader(connections),
            renderer);
    var logs = new LogEndpoints(bus, limits);
    return Map.ofEntries(
        Map.entry("healthz", ctx -> Future.succeededFuture(NodeEndpoints.health())),
        Map.entry("readyz", node::readyz),
        Map.entry("createDisk", targets::createDisk),
        Map.entry("mountCd", targets::mountCd),
        Map.entry("scan", targets::scan),
        Map.entry("deleteTarget", targets::delete),
        Map.entry("listTargets", targets::list),
        Map.entry("capabilities", node::capabilities),
        Map.entry("masters", node::masters),
        Map.entry("logs", logs::page),
        Map.entry("openapi", node::openapi));
  }

  private Future<Void> giveUp() {
    LOG.warn("requests are still in flight count={}", gate.inFlight());
    return Future.succeededFuture();
  }
}
