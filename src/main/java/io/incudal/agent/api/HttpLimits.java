package io.incudal.agent.api;

import io.incudal.agent.config.HttpConfig;
import io.incudal.agent.config.QueueConfig;
import io.vertx.core.http.HttpServerOptions;
import java.io.IOException;
import java.time.Duration;

/**
 * What no operator has to set, and what follows from what operators set.
 *
 * @param connections how many there may be
 * @param patience how long a connection may keep the agent waiting
 * @param tokenInterval how often files with tokens and keys are looked at
 */
record HttpLimits(int connections, Duration patience, Duration tokenInterval) {
  /** More patience than common clients have with idle connections, so that they close them. */
  static final HttpLimits DEFAULTS =
      new HttpLimits(2048, Duration.ofSeconds(120), Duration.ofSeconds(2));

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

  /** HTTP/1.1 without frills: nothing here is worth compressing or upgrading. */
  static HttpServerOptions server(HttpConfig config) {
    return new HttpServerOptions()
        .setHost(config.host())
        .setPort(config.port())
        .setHttp2ClearTextEnabled(false)
        .setPerFrameWebSocketCompressionSupported(false)
        .setPerMessageWebSocketCompressionSupported(false)
        .setMaxInitialLineLength(8 * 1024)
        .setMaxHeaderSize(16 * 1024)
        .setAcceptBacklog(1024)
        // Finds peers that vanished while an operation of theirs takes hours.
        .setTcpKeepAlive(true);
  }
}
