package io.incudal.agent.support;

import java.net.ConnectException;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.concurrent.TimeoutException;
import javax.net.ssl.SSLException;

/** Says in words that stay the same from try to try why a server could not be asked. Pure. */
public final class Reasons {
  private Reasons() {}

  public static String of(Throwable failure, Duration limit) {
    if (failure instanceof UnknownHostException) {
      return "its name cannot be resolved";
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
