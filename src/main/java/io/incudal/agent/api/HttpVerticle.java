package io.incudal.agent.api;

import io.incudal.agent.auth.Credentials;
import io.incudal.agent.bus.Bus;
import io.incudal.agent.config.NodeConfig;
import io.incudal.agent.config.TlsConfig;
import io.vertx.core.Future;
import io.vertx.core.VerticleBase;
import io.vertx.core.WorkerExecutor;
import io.vertx.core.http.HttpServer;
import io.vertx.core.http.HttpServerOptions;
import io.vertx.ext.web.Router;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
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
 * the server last. The verticles behind it may stop at the same time, as they too finish what they
 * have begun.
 */
public final class HttpVerticle extends VerticleBase {
  private static final Logger LOG = LoggerFactory.getLogger(HttpVerticle.class);

  private static final int CLOSE_SECONDS = 2;
  private static final Future<Void> NOTHING = Future.succeededFuture();

  private final Bus bus;
  private final NodeConfig config;
  private final Surroundings around;

  private Credentials credentials;
  private Optional<TlsSource> tls = Optional.empty();
  private Connections connections;
  private WorkerExecutor renderer;
  private HttpServer server;
  private Gate gate;

  /**
   * @param version of the agent, as {@code GET /capabilities} shows it
   */
  public HttpVerticle(Bus bus, NodeConfig config, String version, RequestListener listener) {
    this(bus, config, new Surroundings(version, listener, HttpLimits.DEFAULTS));
  }

  HttpVerticle(Bus bus, NodeConfig config, Surroundings around) {
    this.bus = bus;
    this.config = config;
    this.around = around;
  }

  /** What differs between an agent and a test. */
  record Surroundings(String version, RequestListener listener, HttpLimits limits) {}

  /** Listens at once; completes when all of the contract is served. */
  @Override
  public Future<?> start() {
    Duration interval = around.limits().tokenInterval();
    credentials = new Credentials(vertx, config, interval);
    connections = new Connections(vertx, around.limits(), System::nanoTime);
    renderer = vertx.createSharedWorkerExecutor("api-renderer", 1);
    var replies = new Replies(vertx, connections);
    Future<Router> routes = Contract.load(vertx).map(contract -> router(contract, replies));
    var door = new Door(new RequestIds(credentials::isToken), connections, replies, routes);
    tls =
        config
            .http()
            .tls()
            .map(files -> new TlsSource(vertx, files, interval, taken -> take(door, taken)));
    connections.watch();
    // All are waited for even if one fails, so that nothing goes on behind a failed start.
    return Future.join(
        credentials.open().compose(read -> serve(door)), credentials.openKeys(), routes);
  }

  private Future<?> serve(Door door) {
    return tls.isPresent() ? tls.get().open() : listen(door, Optional.empty());
  }

  /** Connections that are open live on with what they began with. */
  private Future<?> take(Door door, TlsIdentity identity) {
    Future<?> taken =
        server == null
            ? listen(door, Optional.of(identity))
            : server.updateSSLOptions(options(Optional.of(identity)).getSslOptions());
    Instant end = identity.certificate().getNotAfter().toInstant();
    return taken.onSuccess(inUse -> around.listener().certificateTaken(end));
  }

  private HttpServerOptions options(Optional<TlsIdentity> identity) {
    return around.limits().server(config.http(), identity);
  }

  private Future<?> listen(Door door, Optional<TlsIdentity> identity) {
    server =
        vertx
            .createHttpServer(options(identity))
            .connectionHandler(connections::opened)
            .exceptionHandler(new HandshakeLog())
            .requestHandler(door)
            .invalidRequestHandler(door::malformed);
    return server
        .listen()
        .onSuccess(on -> LOG.info("http listening host={} port={}", config.http().host(), port()))
        .recover(failure -> Future.failedFuture(HttpLimits.unusable(config.http(), failure)));
  }

  @Override
  public Future<?> stop() {
    return gate.stop()
        .timeout(config.stopTimeout().toMillis(), TimeUnit.MILLISECONDS)
        .recover(late -> giveUp())
        .compose(done -> server.shutdown(CLOSE_SECONDS, TimeUnit.SECONDS))
        .eventually(
            () -> {
              connections.close();
              return credentials
                  .close()
                  .eventually(() -> tls.map(TlsSource::close).orElse(NOTHING));
            })
        .eventually(renderer::close);
  }

  /** The port that the server listens on, once it is started. */
  public int port() {
    return server.actualPort();
  }

  private Router router(Contract contract, Replies replies) {
    boolean certificates = config.http().tls().flatMap(TlsConfig::clientCa).isPresent();
    var rules = new Gate.Rules(credentials, certificates, HttpLimits.inFlight(config.queue()));
    gate = new Gate(contract, rules, around.listener());
    var settings =
        new Endpoints.Settings(
            BusWaits.of(config), config.iqnBase(), around.version(), contract.document());
    return new ApiRoutes(vertx, contract, gate, replies)
        .build(Endpoints.of(bus, settings, new BodyReader(connections), renderer));
  }

  private Future<Void> giveUp() {
    LOG.warn("requests are still in flight count={}", gate.inFlight());
    return Future.succeededFuture();
  }
}
