package io.incudal.agent.api;

import io.incudal.agent.audit.AuditMessages.Page;
import io.incudal.agent.audit.AuditMessages.ReadPage;
import io.incudal.agent.bus.Addresses;
import io.incudal.agent.bus.AgentException;
import io.incudal.agent.bus.AgentMessage;
import io.incudal.agent.bus.Bus;
import io.incudal.agent.bus.ErrorCode;
import io.incudal.agent.bus.LogTag;
import io.incudal.agent.config.BackendConfig;
import io.incudal.agent.config.HttpConfig;
import io.incudal.agent.config.ImageConfig;
import io.incudal.agent.config.JwtConfig;
import io.incudal.agent.config.NodeConfig;
import io.incudal.agent.config.QueueConfig;
import io.incudal.agent.config.Secret;
import io.incudal.agent.config.TlsConfig;
import io.incudal.agent.config.TokenConfig;
import io.incudal.agent.image.ImageMessages.ListMasters;
import io.incudal.agent.image.ImageMessages.Master;
import io.incudal.agent.image.ImageMessages.MasterList;
import io.incudal.agent.lun.LunMessages.BackendView;
import io.incudal.agent.lun.LunMessages.Capabilities;
import io.incudal.agent.lun.LunMessages.Command;
import io.incudal.agent.lun.LunMessages.CreateDisk;
import io.incudal.agent.lun.LunMessages.Delete;
import io.incudal.agent.lun.LunMessages.Deleted;
import io.incudal.agent.lun.LunMessages.DescribeBackend;
import io.incudal.agent.lun.LunMessages.DescribeCapabilities;
import io.incudal.agent.lun.LunMessages.Exported;
import io.incudal.agent.lun.LunMessages.ListTargets;
import io.incudal.agent.lun.LunMessages.LunView;
import io.incudal.agent.lun.LunMessages.MountCd;
import io.incudal.agent.lun.LunMessages.Query;
import io.incudal.agent.lun.LunMessages.Scan;
import io.incudal.agent.lun.LunMessages.Scanned;
import io.incudal.agent.lun.LunMessages.TargetList;
import io.incudal.agent.lun.LunMessages.TargetView;
import io.incudal.agent.metrics.MetricsMessages.Scrape;
import io.incudal.agent.metrics.MetricsMessages.Text;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.PoolOptions;
import io.vertx.ext.web.client.HttpRequest;
import io.vertx.ext.web.client.HttpResponse;
import io.vertx.ext.web.client.WebClient;
import io.vertx.ext.web.client.WebClientOptions;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.Function;

/**
 * The real server on a free loopback port, and made-up rooms behind it: each records what it was
 * asked, and answers as the test says, by default with something good.
 */
final class ApiServer {
  static final String TOKEN = "correct-horse-battery-staple";
  static final String PREVIOUS = "the-token-before";
  static final String BASE = "iqn.2026-07.com.controller";

  final Vertx vertx;
  final Bus bus;
  final WebClient client;
  final HttpVerticle verticle;
  final List<AgentMessage> asked = new CopyOnWriteArrayList<>();
  final List<String> requestIds = new CopyOnWriteArrayList<>();
  volatile Function<Command<?>, Future<? extends AgentMessage>> lun;
  volatile Function<Query<?>, Future<? extends AgentMessage>> query;
  volatile Function<ListMasters, Future<? extends AgentMessage>> masters;
  volatile Function<ReadPage, Future<? extends AgentMessage>> pages;
  volatile Function<Scrape, Future<? extends AgentMessage>> metrics;
  private String deployment;

  static final MasterList MASTERS =
      new MasterList(List.of(new Master("_tpl_debian_12.img", 5368709120L, 1785552000L)));
  static final TargetList TARGETS =
      new TargetList(
          List.of(
              new TargetView(
                  OptionalInt.of(1),
                  BASE + ":worker-02.ubuntu",
                  List.of(
                      new LunView(0, Optional.empty()),
                      new LunView(1, Optional.of("/home/iscsi_img/worker-02.ubuntu.img"))))));

  private static final TokenConfig BY_VALUE =
      new TokenConfig(
          Optional.of(new Secret(TOKEN)), Optional.empty(), Optional.of(new Secret(PREVIOUS)));
  private static final HttpLimits LIMITS =
      new HttpLimits(512, Duration.ofSeconds(60), Duration.ofMillis(20));

  private ApiServer(Vertx vertx, NodeConfig config, HttpLimits limits) {
    reset();
    this.vertx = vertx;
    this.bus = Bus.install(vertx);
    this.client =
        WebClient.create(vertx, new WebClientOptions(), new PoolOptions().setHttp1MaxSize(512));
    this.verticle =
        new HttpVerticle(
            bus, config, new HttpVerticle.Surroundings("v0.1.0", RequestListener.NONE, limits));
    bus.serve(
        Addresses.LUN_COMMAND, Command.class, ask -> record(ask, lun.apply((Command<?>) ask)));
    bus.serve(Addresses.LUN_QUERY, Query.class, ask -> record(ask, query.apply((Query<?>) ask)));
    bus.serve(Addresses.IMAGE_MASTERS, ListMasters.class, ask -> record(ask, masters.apply(ask)));
    bus.serve(Addresses.METRICS_SCRAPE, Scrape.class, ask -> record(ask, metrics.apply(ask)));
    bus.serve(Addresses.AUDIT_READ, ReadPage.class, ask -> record(ask, pages.apply(ask)));
  }

  static ApiServer start(Vertx vertx) {
    return start(vertx, LIMITS);
  }

  static ApiServer start(Vertx vertx, HttpLimits limits) {
    return start(vertx, config(0, BY_VALUE, Duration.ofMinutes(1)), limits);
  }

  /** One that takes JWTs beside the token. */
  static ApiServer start(Vertx vertx, JwtConfig jwt) {
    return start(
        vertx, config(plain(0), BY_VALUE, Duration.ofMinutes(1), Optional.of(jwt)), LIMITS);
  }

  /** One that speaks TLS; {@link #client} does not. */
  static ApiServer start(Vertx vertx, TlsConfig tls, HttpLimits limits) {
    var http = new HttpConfig("127.0.0.1", 0, Optional.of(tls));
    return start(vertx, config(http, BY_VALUE, Duration.ofMinutes(1), Optional.empty()), limits);
  }

  static ApiServer start(Vertx vertx, TlsConfig tls) {
    return start(vertx, tls, LIMITS);
  }

  static ApiServer start(Vertx vertx, TokenConfig token) {
    return start(vertx, config(0, token, Duration.ofMinutes(1)), LIMITS);
  }

  /** One that soon gives up waiting for what is in flight. */
  static ApiServer startHasty(Vertx vertx) {
    return start(vertx, config(0, BY_VALUE, Duration.ofMillis(50)), LIMITS);
  }

  static ApiServer startOn(Vertx vertx, int port) {
    return start(vertx, config(port, BY_VALUE, Duration.ofMinutes(1)), LIMITS);
  }

  private static ApiServer start(Vertx vertx, NodeConfig config, HttpLimits limits) {
    var server = new ApiServer(vertx, config, limits);
    server.deployment = vertx.deployVerticle(server.verticle).await();
    return server;
  }

  /** Forgets what was asked, and answers with something good again. */
  void reset() {
    asked.clear();
    requestIds.clear();
    lun = ApiServer::done;
    query = ApiServer::seen;
    masters = ask -> good(MASTERS);
    metrics = ask -> good(new Text(Buffer.buffer("up 1\n")));
    pages = ask -> good(new Page(ask.since(), Buffer.buffer("[]")));
  }

  Future<Void> stop() {
    return vertx.undeploy(deployment);
  }

  int port() {
    return verticle.port();
  }

  /** A request with the token. */
  HttpRequest<Buffer> request(HttpMethod method, String uri) {
    return anonymous(method, uri).putHeader("Authorization", "Bearer " + TOKEN);
  }

  HttpRequest<Buffer> anonymous(HttpMethod method, String uri) {
    return anonymous(client, method, uri);
  }

  HttpRequest<Buffer> anonymous(WebClient by, HttpMethod method, String uri) {
    return by.request(method, port(), "127.0.0.1", uri);
  }

  HttpResponse<Buffer> get(String uri) {
    return request(HttpMethod.GET, uri).send().await();
  }

  HttpResponse<Buffer> delete(String uri) {
    return request(HttpMethod.DELETE, uri).send().await();
  }

  HttpResponse<Buffer> post(String uri, String body) {
    return request(HttpMethod.POST, uri)
        .putHeader("Content-Type", "application/json")
        .sendBuffer(Buffer.buffer(body))
        .await();
  }

  /** Looks again and again until something that other threads do has happened. */
  static void await(BooleanSupplier condition) {
    long end = System.nanoTime() + 10_000_000_000L;
    while (!condition.getAsBoolean()) {
      if (System.nanoTime() > end) {
        throw new AssertionError("it did not happen");
      }
      LockSupport.parkNanos(1_000_000);
    }
  }

  <T> T onlyAsked(Class<T> type) {
    if (asked.size() != 1) {
      throw new AssertionError("asked " + asked);
    }
    return type.cast(asked.get(0));
  }

  static <T> Future<T> good(T reply) {
    return Future.succeededFuture(reply);
  }

  static <T> Future<T> bad(ErrorCode code, String message) {
    return Future.failedFuture(new AgentException(code, message));
  }

  private <T> Future<T> record(AgentMessage ask, Future<T> answer) {
    asked.add(ask);
    requestIds.add(String.valueOf(LogTag.REQUEST.current()));
    return answer;
  }

  private static Future<? extends AgentMessage> done(Command<?> command) {
    if (command instanceof CreateDisk || command instanceof MountCd) {
      return good(new Exported(BASE + ":a", "/img/a.img"));
    }
    if (command instanceof Delete) {
      return good(new Deleted(BASE + ":a", false));
    }
    if (command instanceof Scan) {
      return good(new Scanned(List.of(), List.of(), List.of()));
    }
    throw new IllegalStateException("unknown " + command);
  }

  private static Future<? extends AgentMessage> seen(Query<?> query) {
    if (query instanceof ListTargets) {
      return good(TARGETS);
    }
    if (query instanceof DescribeCapabilities) {
      return good(
          new Capabilities(
              "stgt",
              true,
              "auto-scan on startup",
              BASE,
              "ext4",
              "full copy only (reflink unsupported on ext4)",
              "truncate (sparse)"));
    }
    if (query instanceof DescribeBackend) {
      return good(new BackendView(true, true, OptionalInt.of(1), Optional.empty()));
    }
    throw new IllegalStateException("unknown " + query);
  }

  private static NodeConfig config(int port, TokenConfig token, Duration stopTimeout) {
    return config(plain(port), token, stopTimeout, Optional.empty());
  }

  private static HttpConfig plain(int port) {
    return new HttpConfig("127.0.0.1", port, Optional.empty());
  }

  private static NodeConfig config(
      HttpConfig http, TokenConfig token, Duration stopTimeout, Optional<JwtConfig> jwt) {
    return new NodeConfig(
        http,
        token,
        jwt,
        BASE,
        new BackendConfig(
            BackendConfig.Kind.STGT,
            BackendConfig.Executor.LOCAL,
            "none",
            "unix:///none",
            Duration.ofSeconds(1),
            OptionalInt.empty(),
            true,
            false),
        new ImageConfig(Path.of("/none"), 1L << 40, Duration.ofSeconds(30), 1),
        Path.of("/none/ops.jsonl"),
        new QueueConfig(4, 16),
        stopTimeout);
  }
}
