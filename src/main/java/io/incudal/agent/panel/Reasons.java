package io.incudal.agent.panel;

import java.net.ConnectException;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.concurrent.TimeoutException;
import javax.net.ssl.SSLException;

/** Says in words that stay the same from beat to beat why a panel could not be reached. Pure. */
final class Reasons {
  private Reasons() {}

  static String of(Throwable failure, Duration limit) {
    if (failure instanceof UnknownHostException) {
      return "the name of the panel cannot be resolved";
    }
    if (failure instanceof TimeoutException) {
      return "no answer within " + limit.toSeconds() + " s";
    }
    if (failure instanceof ConnectException) {
      return "no connection: " + root(failure).getMessage();
    }
    if (failure instanceof SSLException) {
      return "TLS: " + root(failure).getMessage();
    }
    return root(failure).getMessage() == null
        ? failure.getClass().getSimpleName()
        : root(failure).getMessage();
  }

  private static Throwable root(Throwable failure) {
    Throwable root = failure;
    while (root.getCause() != null) {
      root = root.getCause();
    }
    return root;
  }
}
