package io.incudal.agent.support;

import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.WorkerExecutor;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpClient;
import io.vertx.core.http.HttpClientOptions;
import io.vertx.core.http.HttpClientRequest;
import io.vertx.core.http.HttpClientResponse;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.RequestOptions;
import io.vertx.core.net.SocketAddress;
import io.vertx.core.net.TrustOptions;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * Requests to one origin and never to another; redirects are not followed.
 *
 * <p>Each request looks its name up and opens a connection of its own. A connection that a steady
 * beat keeps alive would never notice that the name has moved; and Vert.x's own resolver reads the
 * list of name servers and the hosts file once at start, where the system's follows their changes.
 * The look-up blocks, so it runs on the executor.
 *
 * <p>Belongs to the verticle that makes it, and is closed with it.
 */
public final class OriginClient {
  /** For each address of the name; short enough for a second one to be tried in time. */
  private static final Duration CONNECT_TIMEOUT = Duration.ofSeconds(5);

  private final Origin origin;
  private final HttpClient client;
  private final WorkerExecutor resolver;

  public OriginClient(Vertx vertx, WorkerExecutor resolver, Origin origin, TrustOptions trust) {
    this.origin = origin;
    this.resolver = resolver;
    this.client =
        vertx.createHttpClient(
            new HttpClientOptions()
                .setKeepAlive(false)
                .setTrustOptions(trust)
                .setConnectTimeout(Math.toIntExact(CONNECT_TIMEOUT.toMillis())));
  }

  /**
   * Connects. Fails when no address of the name can be reached within the limit; a connection that
   * comes later is closed unused.
   *
   * @param uri path and query
   */
  public Future<HttpClientRequest> request(HttpMethod method, String uri, Duration limit) {
    Future<HttpClientRequest> connected =
        resolver
            .executeBlocking(() -> List.of(InetAddress.getAllByName(origin.host())), false)
            .compose(addresses -> connect(options(method, uri), addresses));
    return connected
        .timeout(limit.toMillis(), TimeUnit.MILLISECONDS)
        .onFailure(late -> connected.onSuccess(HttpClientRequest::reset));
  }

  /** The whole body of an answer; fails, and ends the request, when it is longer than this. */
  public static Future<Buffer> body(HttpClientResponse answer, int max) {
    Buffer body = Buffer.buffer();
    answer.handler(
        chunk -> {
          if (body.length() + chunk.length() > max) {
            answer
                .request()
                .reset(0, new IOException("the answer is longer than " + max / 1024 + " KiB"));
          } else {
            body.appendBuffer(chunk);
          }
        });
    return answer
        .end()
        .map(body)
        .recover(
            reset ->
                Future.failedFuture(
                    reset.getCause() instanceof IOException tooLong ? tooLong : reset));
  }

  public Future<Void> close() {
    return client.close();
  }

  /** One address after the other; nothing was sent yet, so the next one repeats nothing. */
  private Future<HttpClientRequest> connect(RequestOptions options, List<InetAddress> addresses) {
    var server = new InetSocketAddress(addresses.get(0), origin.port());
    Future<HttpClientRequest> connected =
        client.request(
            new RequestOptions(options).setServer(SocketAddress.inetSocketAddress(server)));
    return addresses.size() == 1
        ? connected
        : connected.recover(failure -> connect(options, addresses.subList(1, addresses.size())));
  }

  /** The host is what stands in the request and in the certificate, not where it is sent. */
  private RequestOptions options(HttpMethod method, String uri) {
    return new RequestOptions()
        .setMethod(method)
        .setURI(uri)
        .setSsl(origin.secure())
        .setHost(origin.host())
        .setPort(origin.port())
        .setFollowRedirects(false);
  }
}
