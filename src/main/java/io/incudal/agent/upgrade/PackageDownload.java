package io.incudal.agent.upgrade;

import io.incudal.agent.support.Origin;
import io.incudal.agent.support.OriginClient;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.file.OpenOptions;
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
    var options = new OpenOptions().setTruncateExisting(true).setPerms("rw-------");
    // Before the request: an answer that ends while nobody listens is never heard of again.
    return vertx
        .fileSystem()
        .open(file.toString(), options)
        .compose(
            open -> {
              var sink = new CappedFile(open, UpgradePackage.MAX_DOWNLOAD);
              return request(wanted.url(), MAX_REDIRECTS, sink)
                  .eventually(open::close)
                  .compose(done -> complete(sink.length(), wanted));
            });
  }

  private Future<Void> request(URI url, int redirects, CappedFile sink) {
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
                    .onFailure(failure -> request.reset()));
  }

  private Future<Void> take(URI url, HttpClientResponse answer, int redirects, CappedFile sink) {
    // The body of a redirect or a refusal is nobody's; Vert.x would log how it ends.
    answer.exceptionHandler(ended -> {});
    String location = answer.getHeader(HttpHeaders.LOCATION);
    if (answer.statusCode() / 100 == 3 && location != null) {
      return redirects == 0
          ? refuse("the panel redirects without end")
          : request(target(url, location), redirects - 1, sink);
    }
    return answer.statusCode() == 200
        ? answer.pipe().endOnComplete(false).to(sink)
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
