package io.incudal.agent.panel.reference;

import io.vertx.core.Future;
import io.vertx.core.MultiMap;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpServer;
import io.vertx.core.http.HttpServerOptions;
import io.vertx.core.json.DecodeException;
import io.vertx.core.json.JsonObject;
import io.vertx.core.net.PfxOptions;
import io.vertx.ext.web.Router;
import io.vertx.ext.web.RoutingContext;
import io.vertx.ext.web.handler.BodyHandler;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.concurrent.CopyOnWriteArrayList;

/**
 * A panel as the contract describes it, with a clock that can be moved, answers that can be
 * scripted, and a memory of what it saw.
 *
 * <p>Set up by a test's thread, and answers on an event loop.
 */
public final class ReferencePanel {
  private final HeartbeatCheck check = new HeartbeatCheck();
  private final InstallTokens tokens = new InstallTokens();
  private final List<Beat> beats = new CopyOnWriteArrayList<>();
  private final List<String> requests = new CopyOnWriteArrayList<>();
  private final ConcurrentLinkedDeque<Answer> script = new ConcurrentLinkedDeque<>();
  private final ConcurrentLinkedDeque<Answer> downloads = new ConcurrentLinkedDeque<>();
  private final HttpServer server;
  private final String scheme;
  private final String host;
  private volatile Duration clockOffset = Duration.ZERO;
  private volatile Outage outage = new Outage(Instant.MIN, Answer.status(503));
  private volatile JsonObject upgrade;
  private volatile Release release;
  private volatile Path installScript;

  /**
   * One heartbeat as it arrived.
   *
   * @param reached the address of the panel that it came to
   * @param problem the panel's code, when it refused it
   */
  public record Beat(
      Instant at,
      String reached,
      String raw,
      JsonObject body,
      MultiMap headers,
      Optional<String> problem) {
    public boolean accepted() {
      return problem.isEmpty();
    }
  }

  /** An answer that takes the place of the panel's own, once, for a heartbeat. */
  public record Answer(int status, MultiMap headers, String body, Duration delay) {
    public static Answer status(int status) {
      return new Answer(status, MultiMap.caseInsensitiveMultiMap(), "", Duration.ZERO);
    }

    public Answer header(String name, String value) {
      return new Answer(
          status, MultiMap.caseInsensitiveMultiMap().addAll(headers).add(name, value), body, delay);
    }

    public Answer body(String text) {
      return new Answer(status, headers, text, delay);
    }

    public Answer after(Duration wait) {
      return new Answer(status, headers, body, wait);
    }
  }

  private record Release(Path directory, String version) {}

  private record Outage(Instant end, Answer answer) {}

  private ReferencePanel(Vertx vertx, HttpServerOptions options, String host) {
    scheme = options.isSsl() ? "https" : "http";
    this.host = host;
    Router router = Router.router(vertx);
    router.route().handler(BodyHandler.create(false));
    router.route().handler(this::note);
    router.post("/api/agent/heartbeat").handler(this::heartbeat);
    router.get("/api/agent/install.sh").handler(this::script);
    router.get("/api/agent/install-config/:token").handler(this::exchange);
    router.get("/api/agent/manifest.json").handler(this::manifest);
    router.get("/api/agent/binary/:name").handler(this::binary);
    new ReferenceControls(this).addTo(router);
    server = vertx.createHttpServer(options).requestHandler(router);
  }

  /** On a free port of 127.0.0.1, over TLS. */
  public static Future<ReferencePanel> start(Vertx vertx, SelfSignedCertificate certificate) {
    var loopback = new HttpServerOptions().setHost("127.0.0.1").setPort(0);
    return start(vertx, certificate, loopback, "127.0.0.1");
  }

  /**
   * @param host what it calls itself in its addresses
   */
  static Future<ReferencePanel> start(
      Vertx vertx, SelfSignedCertificate certificate, HttpServerOptions where, String host) {
    var options =
        new HttpServerOptions(where)
            .setSsl(true)
            .setKeyCertOptions(
                new PfxOptions()
                    .setPath(certificate.keyStore().toString())
                    .setPassword(SelfSignedCertificate.PASSWORD));
    return listen(new ReferencePanel(vertx, options, host));
  }

  /** Without TLS, as a panel behind a proxy of the same machine. */
  public static Future<ReferencePanel> startPlain(Vertx vertx) {
    var loopback = new HttpServerOptions().setHost("127.0.0.1").setPort(0);
    return listen(new ReferencePanel(vertx, loopback, "127.0.0.1"));
  }

  private static Future<ReferencePanel> listen(ReferencePanel panel) {
    return panel.server.listen().map(listening -> panel);
  }

  public Future<Void> stop() {
    return server.close();
  }

  public int port() {
    return server.actualPort();
  }

  public String url() {
    return scheme + "://" + host + ":" + port();
  }

  public void enrol(String id, String secret) {
    check.enrol(id, secret);
  }

  public void disable(String id) {
    check.disable(id);
  }

  public void moveClock(Duration offset) {
    clockOffset = offset;
  }

  /** The next heartbeats get these answers, one each, and are not looked at. */
  public void script(Answer... answers) {
    script.addAll(List.of(answers));
  }

  /** Heartbeats get this answer for that time, and are not looked at. */
  public void away(Duration time, Answer answer) {
    outage = new Outage(Instant.now().plus(time), answer);
  }

  /** The next downloads get these answers, one each. */
  public void scriptDownloads(Answer... answers) {
    downloads.addAll(List.of(answers));
  }

  /** Every accepted heartbeat is answered with this {@code upgrade}; {@code null} for none. */
  public void offer(JsonObject offered) {
    upgrade = offered;
  }

  /** Hands out the release files of a directory, and describes them as this version. */
  public void publish(Path directory, String version) {
    release = new Release(directory, version);
  }

  /** The offer of the published release. */
  public JsonObject publishedOffer(String arch) throws IOException {
    return shelf().offer(release.version(), arch);
  }

  public void installScript(Path file) {
    installScript = file;
  }

  /** A fresh identity, enrolled, and the token that is exchanged for it. */
  public String issueToken() {
    InstallTokens.Identity identity = tokens.newIdentity();
    enrol(identity.id(), identity.secret());
    return tokens.issue(identity, now());
  }

  public List<Beat> beats() {
    return List.copyOf(beats);
  }

  public long acceptedBeats() {
    return beats.stream().filter(Beat::accepted).count();
  }

  /** Method and path of every request, with the host it was meant for. */
  public List<String> requests() {
    return List.copyOf(requests);
  }

  private Instant now() {
    return Instant.now().plus(clockOffset);
  }

  private ReleaseShelf shelf() {
    return new ReleaseShelf(release.directory(), url());
  }

  private void note(RoutingContext context) {
    if (!context.request().path().startsWith(ReferenceControls.PREFIX)) {
      requests.add(context.request().method() + " " + context.request().absoluteURI());
    }
    context.response().putHeader("date", date(now()));
    context.next();
  }

  static String date(Instant time) {
    return DateTimeFormatter.RFC_1123_DATE_TIME.format(time.atOffset(ZoneOffset.UTC));
  }

  private void heartbeat(RoutingContext context) {
    Outage now = outage;
    Answer scripted = Instant.now().isBefore(now.end()) ? now.answer() : script.poll();
    if (scripted != null) {
      remember(context, Optional.of("SCRIPTED_" + scripted.status()));
      answer(context, scripted);
      return;
    }
    Buffer body = context.body().buffer();
    Optional<String> problem =
        check.problem(
            context.request().path(),
            context.request().headers(),
            body == null ? Buffer.buffer() : body,
            now());
    remember(context, problem);
    if (problem.isPresent()) {
      json(context, 401, new JsonObject().put("error", "refused").put("code", problem.get()));
    } else {
      var accepted = new JsonObject().put("ok", true);
      json(context, 200, upgrade == null ? accepted : accepted.put("upgrade", upgrade));
    }
  }

  private void remember(RoutingContext context, Optional<String> problem) {
    Buffer raw = context.body().buffer();
    JsonObject body;
    try {
      body = new JsonObject(raw);
    } catch (DecodeException | NullPointerException noJson) {
      body = new JsonObject();
    }
    beats.add(
        new Beat(
            Instant.now(),
            context.request().localAddress().hostAddress(),
            String.valueOf(raw),
            body,
            context.request().headers(),
            problem));
  }

  private static void answer(RoutingContext context, Answer answer) {
    if (answer.delay().isZero()) {
      send(context, answer);
    } else {
      context.vertx().setTimer(answer.delay().toMillis(), due -> send(context, answer));
    }
  }

  private static void send(RoutingContext context, Answer answer) {
    context.response().setStatusCode(answer.status());
    context.response().headers().addAll(answer.headers());
    if (answer.headers().contains("content-length")) {
      // A length that is a lie: what is there is sent, and the line goes dead.
      context
          .response()
          .write(answer.body())
          .onComplete(sent -> context.request().connection().close());
    } else {
      context.response().end(answer.body());
    }
  }

  static void json(RoutingContext context, int status, JsonObject body) {
    context
        .response()
        .setStatusCode(status)
        .putHeader("content-type", "application/json")
        .end(body.encode());
  }

  private void script(RoutingContext context) {
    context.response().putHeader("content-type", "text/x-shellscript");
    context.response().sendFile(installScript.toString());
  }

  private void exchange(RoutingContext context) {
    tokens
        .exchange(context.pathParam("token"), now())
        .ifPresentOrElse(
            identity ->
                context
                    .response()
                    .putHeader("content-type", "text/plain")
                    .end(
                        "INCUDAL_AGENT_ID='%s'\nINCUDAL_AGENT_SECRET='%s'\n"
                            .formatted(identity.id(), identity.secret())),
            () -> json(context, 403, new JsonObject().put("error", "bad, used or expired token")));
  }

  private void manifest(RoutingContext context) {
    try {
      json(context, 200, shelf().manifest(release.version()));
    } catch (IOException unreadable) {
      context.fail(unreadable);
    }
  }

  private void binary(RoutingContext context) {
    Answer scripted = downloads.poll();
    if (scripted != null) {
      answer(context, scripted);
      return;
    }
    context.response().putHeader("content-type", "application/octet-stream");
    context.response().sendFile(shelf().file(context.pathParam("name")).toString());
  }
}
