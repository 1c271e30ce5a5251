package io.incudal.agent.panel;

import io.incudal.agent.support.OriginClient;
import io.incudal.agent.support.Reasons;
import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpClientRequest;
import io.vertx.core.http.HttpClientResponse;
import io.vertx.core.http.HttpMethod;
import java.net.URI;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.Base64;
import java.util.concurrent.TimeUnit;

/**
 * Sends one signed heartbeat and reads its answer.
 *
 * <p>Runs on the verticle's event loop. Never follows a redirect, which would carry the signature
 * to another place, and never fails: whatever goes wrong is a {@link BeatOutcome}.
 */
final class PanelClient {
  private static final int MAX_ANSWER = 1024 * 1024;
  private static final int NONCE_BYTES = 18;

  private final String path;
  private final Duration limit;
  private final OriginClient http;
  private final RequestSigner signer;
  private final PanelClock clock;
  private final SecureRandom random = new SecureRandom();

  PanelClient(Target target, OriginClient http, RequestSigner signer, PanelClock clock) {
    this.path = target.panel().getRawPath() + "/api/agent/heartbeat";
    this.limit = target.limit();
    this.http = http;
    this.signer = signer;
    this.clock = clock;
  }

  /**
   * @param panel its URL, without a trailing slash
   * @param limit of one heartbeat, from the look-up of the name to the end of the answer
   */
  record Target(URI panel, Duration limit) {}

  /**
   * @param body canonical JSON
   */
  Future<BeatOutcome> send(String body) {
    long start = System.nanoTime();
    return http.request(HttpMethod.POST, path, limit)
        .compose(request -> exchange(request, Buffer.buffer(body), left(start)))
        .otherwise(failure -> new BeatOutcome.Unreachable(Reasons.of(failure, limit)))
        .onSuccess(clock::learn);
  }

  Future<Void> close() {
    return http.close();
  }

  private Future<BeatOutcome> exchange(HttpClientRequest request, Buffer body, Duration left) {
    var signable =
        new RequestSigner.Signable(
            "POST", path, clock.now().toEpochMilli(), nonce(), body.getBytes());
    signer.headers(signable).forEach(request::putHeader);
    return request
        .putHeader("content-type", "application/json")
        .send(body)
        .compose(PanelClient::read)
        .timeout(Math.max(1, left.toMillis()), TimeUnit.MILLISECONDS)
        // Nothing of this beat may be under way when the next one is sent.
        .onFailure(failure -> request.reset());
  }

  private Duration left(long start) {
    return limit.minusNanos(System.nanoTime() - start);
  }

  private static Future<BeatOutcome> read(HttpClientResponse answer) {
    return OriginClient.body(answer, MAX_ANSWER)
        .map(body -> PanelAnswer.parse(answer.statusCode(), answer.headers(), body));
  }

  private String nonce() {
    byte[] bytes = new byte[NONCE_BYTES];
    random.nextBytes(bytes);
    return Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
  }
}
