package io.incudal.agent.upgrade;

import io.incudal.agent.support.Origin;
import io.incudal.agent.support.OriginClient;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.file.OpenOptions;
import io.vertx.core.http.HttpClientRequest;
import io.vertx.core.http.HttpClientResponse;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpMethod;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.TimeUnit;

/**
 * Streams a package from the panel into a file. Follows redirects, but never to another origin: the
 * client can reach no other, and each step is checked again here so that the failure can say so.
 *
 * <p>Runs on the verticle's event loop, holds no more than a few chunks in memory, and believes
 * nothing of what it has read: the file is checked afterwards.
 */
final class PackageDownload {
  private static final Duration CONNECT = Duration.ofSeconds(20);
  private static final Duration SILENCE = Duration.ofSeconds(30);
  private static final Duration TOTAL = Duration.ofMinutes(15);
  private static final int MAX_REDIRECTS = 5;

  private final Vertx vertx;
  private final OriginClient http;
  private final Origin panel;

  PackageDownload(Vertx vertx, OriginClient http, Origin panel) {
    this.vertx = vertx;
    this.http = http;
    this.panel = panel;
  }

  /** Fails with an {@link UpgradeException} or what the network failed with. */
  Future<Void> fetch(UpgradePackage wanted, Path file) {
    return request(wanted.url(), MAX_REDIRECTS, new Sink(wanted, file));
  }

  private record Sink(UpgradePackage wanted, Path file) {}

  private Future<Void> request(URI url, int redirects, Sink sink) {
    String path = url.getRawPath().isEmpty() ? "/" : url.getRawPath();
    String uri = url.getRawQuery() == null ? path : path + "?" + url.getRawQuery();
    return http.request(HttpMethod.GET, uri, CONNECT)
        .compose(
            request ->
                request
                    .idleTimeout(SILENCE.toMillis())
                    .send()
                    .compose(answer -> take(url, answer, redirects, sink))
                    .timeout(TOTAL.toMillis(), TimeUnit.MILLISECONDS)
                    .onFailure(failure -> abort(request)));
  }

  private static void abort(HttpClientRequest request) {
    request.reset();
  }

  private Future<Void> take(URI url, HttpClientResponse answer, int redirects, Sink sink) {
    String location = answer.getHeader(HttpHeaders.LOCATION);
    if (answer.statusCode() / 100 == 3 && location != null) {
      return redirects == 0
          ? refuse("the panel redirects without end")
          : request(target(url, location), redirects - 1, sink);
    }
    return answer.statusCode() == 200
        ? save(answer, sink)
        : refuse("the panel answered the download with " + answer.statusCode());
  }

  private URI target(URI url, String location) {
    URI target;
    Origin origin;
    try {
      target = url.resolve(location);
      origin = Origin.of(target);
    } catch (IllegalArgumentException unusable) {
      throw new UpgradeException("the panel redirects to what is no URL");
    }
    if (!origin.equals(panel)) {
      throw new UpgradeException("a redirect leads away from the panel");
    }
    return target;
  }

  private Future<Void> save(HttpClientResponse answer, Sink sink) {
    // Without the pause, what arrives while the file is being opened would be lost.
    answer.pause();
    return vertx
        .fileSystem()
        .open(
            sink.file().toString(),
            new OpenOptions().setRead(false).setTruncateExisting(true).setPerms("rw-------"))
        .map(file -> new CappedFile(file, UpgradePackage.MAX_DOWNLOAD))
        .compose(file -> answer.pipeTo(file).map(done -> file.length()))
        .compose(length -> complete(length, sink.wanted()));
  }

  /** A cut is worth another try soon, unlike a whole file with the wrong hash. */
  private static Future<Void> complete(long length, UpgradePackage wanted) {
    boolean whole = wanted.size().isEmpty() || wanted.size().getAsLong() == length;
    return whole
        ? Future.succeededFuture()
        : refuse("the download has " + length + " bytes instead of " + wanted.size().getAsLong());
  }

  private static Future<Void> refuse(String reason) {
    return Future.failedFuture(new UpgradeException(reason));
  }
}
