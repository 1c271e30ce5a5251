package io.incudal.agent.auth;

import io.incudal.agent.config.JwtConfig;
import io.incudal.agent.support.Origin;
import io.incudal.agent.support.OriginClient;
import io.incudal.agent.support.Reasons;
import io.incudal.agent.support.Repeater;
import io.incudal.agent.support.TlsTrust;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.WorkerExecutor;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpClientResponse;
import io.vertx.core.http.HttpMethod;
import java.io.IOException;
import java.net.URI;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keys from the issuer: fetched at the start, then every so often, and when a token names a key
 * that is not there. While the issuer is away, the last keys stay in force.
 *
 * <p>On the event loop; names are looked up and keys are parsed by a worker of its own. Never has
 * two requests under way, and however many tokens name keys that nobody has, at most one request
 * goes to the issuer in a pause.
 */
final class JwksDownload implements JwtKeySource {
  private static final Logger LOG = LoggerFactory.getLogger(JwksDownload.class);

  private static final Duration LIMIT = Duration.ofSeconds(5);
  private static final int MAX_BYTES = 256 * 1024;
  private static final Duration LAST_RETRY = Duration.ofSeconds(60);

  /** Tokens that wait for a running look; more are judged by the keys that there are. */
  private static final int MAX_WAITING = 32;

  private final URI url;
  private final JwtConfig config;
  private final Duration interval;
  private final Function<Buffer, JwtKeys> parser;
  private final WorkerExecutor worker;
  private final Future<OriginClient> client;
  private final Repeater repeater;

  private JwtKeys keys = JwtKeys.NONE;
  private Optional<Buffer> last = Optional.empty();
  private Future<JwtKeys> look;
  private long lookEnded;
  private int failures;
  private int waiting;

  /**
   * @param interval how often a file would be looked at; the issuer is not asked as often
   */
  JwksDownload(
      Vertx vertx, JwtConfig config, URI url, Duration interval, Function<Buffer, JwtKeys> parser) {
    this.url = url;
    this.config = config;
    this.interval = interval;
    this.parser = parser;
    this.worker = vertx.createSharedWorkerExecutor("jwks", 1);
    this.client =
        worker
            .executeBlocking(() -> TlsTrust.load(Optional.empty()), false)
            .map(trust -> new OriginClient(vertx, worker, Origin.of(url), trust));
    this.repeater = new Repeater(vertx, "jwks", this::look, this::untilNext);
  }

  /** Does not wait for the issuer: the node serves without it. */
  @Override
  public Future<Void> open() {
    look().onComplete(done -> repeater.start(untilNext()));
    return Future.succeededFuture();
  }

  @Override
  public Future<Void> close() {
    return client.compose(OriginClient::close).eventually(repeater::stop).eventually(worker::close);
  }

  @Override
  public JwtKeys keys() {
    return keys;
  }

  @Override
  public Future<JwtKeys> fresh() {
    boolean early = look.isComplete() && System.nanoTime() - lookEnded < pause();
    if (early || waiting >= MAX_WAITING) {
      return Future.succeededFuture(keys);
    }
    waiting++;
    return look().onComplete(done -> waiting--);
  }

  /** Joins the running look, or begins one. Never fails. */
  private Future<JwtKeys> look() {
    if (look == null || look.isComplete()) {
      look =
          client
              .compose(this::fetch)
              .compose(this::use)
              .onSuccess(done -> worked())
              .otherwise(this::failed)
              .map(done -> keys)
              .onComplete(done -> lookEnded = System.nanoTime());
    }
    return look;
  }

  private Future<Buffer> fetch(OriginClient http) {
    return http.request(HttpMethod.GET, pathAndQuery(), LIMIT)
        .compose(
            request ->
                request
                    .putHeader("accept", "application/jwk-set+json, application/json")
                    .send()
                    .compose(JwksDownload::read)
                    .timeout(LIMIT.toMillis(), TimeUnit.MILLISECONDS)
                    .onFailure(failure -> request.reset()));
  }

  private static Future<Buffer> read(HttpClientResponse answer) {
    return OriginClient.body(answer, MAX_BYTES)
        .compose(
            body ->
                answer.statusCode() == 200
                    ? Future.succeededFuture(body)
                    : Future.failedFuture(new IOException("status " + answer.statusCode())));
  }

  private Future<Void> use(Buffer content) {
    if (last.filter(content::equals).isPresent()) {
      return Future.succeededFuture();
    }
    return worker
        .executeBlocking(() -> parser.apply(content), false)
        .onSuccess(
            changed -> {
              last = Optional.of(content);
              keys = changed;
              keys.announce();
            })
        .mapEmpty();
  }

  private void worked() {
    if (failures > 0) {
      LOG.info("jwks can be had again");
    }
    failures = 0;
  }

  private Void failed(Throwable failure) {
    if (failures == 0) {
      LOG.warn(
          "jwks cannot be had, the last keys stay url={} keys={} reason=\"{}\"",
          url,
          keys.all().size(),
          Reasons.of(failure, LIMIT));
    }
    failures++;
    return null;
  }

  /** Between looks for keys that tokens name, in nanoseconds. */
  private long pause() {
    return interval.multipliedBy(5).toNanos();
  }

  private Duration untilNext() {
    Duration longest = config.refresh();
    if (failures > 0) {
      Duration retry = interval.multipliedBy(1L << Math.min(failures - 1, 10));
      longest = min(longest, min(retry, LAST_RETRY));
    }
    return Repeater.jittered(longest).get();
  }

  private static Duration min(Duration a, Duration b) {
    return a.compareTo(b) < 0 ? a : b;
  }

  private String pathAndQuery() {
    String path = url.getRawPath().isEmpty() ? "/" : url.getRawPath();
    return url.getRawQuery() == null ? path : path + "?" + url.getRawQuery();
  }
}
