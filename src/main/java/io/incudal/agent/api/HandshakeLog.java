package io.incudal.agent.api;

import io.vertx.core.Handler;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLHandshakeException;

/**
 * Tells the operator why handshakes fail: the client learns no more than that they do. On the event
 * loop.
 */
final class HandshakeLog implements Handler<Throwable> {
  private final RefusalLog refusals = new RefusalLog("tls handshakes failed");

  /** What went wrong on a connection, be it the handshake or something else. */
  @Override
  public void handle(Throwable failure) {
    for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
      if (cause instanceof SSLHandshakeException) {
        refusals.note('"' + cause.getMessage() + '"');
        return;
      }
      if (cause instanceof SSLException) {
        // The message of one who speaks no TLS has what was sent, a token for instance.
        refusals.note(cause.getClass().getSimpleName());
        return;
      }
    }
  }
}
