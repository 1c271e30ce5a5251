package io.incudal.agent.api;

import io.incudal.agent.config.HttpConfig;
import io.incudal.agent.config.QueueConfig;
import io.vertx.core.http.ClientAuth;
import io.vertx.core.http.Http2Settings;
import io.vertx.core.http.HttpServerOptions;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;

/**
 * What no operator has to set, and what follows from what operators set.
 *
 * @param connections how many there may be; a stream of HTTP/2 counts like one
 * @param patience how long a connection may keep the agent waiting
 * @param tokenInterval how often files with tokens, keys and certificates are looked at
 */
record HttpLimits(int connections, Duration patience, Duration tokenInterval) {
  /** More patience than common clients have with idle connections, so that they close them. */
  static final HttpLimits DEFAULTS =
      new HttpLimits(2048, Duration.ofSeconds(120), Duration.ofSeconds(2));

  private static final Duration HANDSHAKE = Duration.ofSeconds(10);
  private static final int MAX_HEADERS = 16 * 1024;

  /** Of one HTTP/2 connection at a time; RFC 9113 wants no fewer. */
  private static final int STREAMS = 100;

  /** Those that keep recorded traffic secret; HTTP/2 forbids others with TLS 1.2. */
  private static final List<String> CIPHERS =
      List.of(
          "TLS_AES_256_GCM_SHA384",
          "TLS_AES_128_GCM_SHA256",
          "TLS_CHACHA20_POLY1305_SHA256",
          "TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384",
          "TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384",
          "TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256",
          "TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256",
          "TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256",
          "TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256");

  /** Reads beside a full queue of commands. */
  private static final int READS = 256;

  /** How many requests may be in flight, each with a body in memory. */
  static int inFlight(QueueConfig queue) {
    return queue.total() + READS;
  }

  /** Names the settings behind an address that cannot be listened on. */
  static IOException unusable(HttpConfig config, Throwable cause) {
    return new IOException(
        "cannot listen on "
            + config.host()
            + ":"
            + config.port()
            + " (IPXE_AGENT_HOST, IPXE_AGENT_PORT)",
        cause);
  }

  /**
   * HTTP without frills: nothing here is worth compressing or upgrading.
   *
   * @param tls with it, HTTP/2 too for those who ask for it in the handshake
   */
  HttpServerOptions server(HttpConfig config, Optional<TlsIdentity> tls) {
    var options = new HttpServerOptions();
    tls.ifPresent(identity -> secure(options, identity));
    return options
        .setHost(config.host())
        .setPort(config.port())
        .setHttp2ClearTextEnabled(false)
        .setPerFrameWebSocketCompressionSupported(false)
        .setPerMessageWebSocketCompressionSupported(false)
        .setMaxInitialLineLength(8 * 1024)
        .setMaxHeaderSize(MAX_HEADERS)
        .setAcceptBacklog(1024)
        // Finds peers that vanished while an operation of theirs takes hours.
        .setTcpKeepAlive(true);
  }

  private void secure(HttpServerOptions options, TlsIdentity identity) {
    CIPHERS.forEach(options::addEnabledCipherSuite);
    options
        .setSsl(true)
        .setEnabledSecureTransportProtocols(Set.of("TLSv1.2", "TLSv1.3"))
        .setKeyCertOptions(identity.key())
        .setUseAlpn(true)
        .setInitialSettings(
            new Http2Settings().setMaxConcurrentStreams(STREAMS).setMaxHeaderListSize(MAX_HEADERS))
        .setSslHandshakeTimeoutUnit(TimeUnit.MILLISECONDS)
        .setSslHandshakeTimeout(Math.min(patience.toMillis(), HANDSHAKE.toMillis()))
        // For the time between the handshake and Connections, which then counts and ends it.
        .setIdleTimeoutUnit(TimeUnit.MILLISECONDS)
        .setIdleTimeout((int) Math.min(patience.toMillis(), HANDSHAKE.toMillis()));
    // Asked of everyone and needed by the Gate, as probes have none.
    identity
        .clients()
        .ifPresent(ca -> options.setTrustOptions(ca).setClientAuth(ClientAuth.REQUEST));
  }
}
