package io.incudal.agent.api;

import io.incudal.agent.auth.Access;
import io.incudal.agent.bus.Caller;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.ext.web.RoutingContext;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;

/**
 * One request from its headers until its answer is written and its work is done. A client that
 * hangs up ends the answer, not the work; so the two are counted apart.
 */
final class Exchange {
  private static final Logger LOG = LoggerFactory.getLogger(Exchange.class);
  private static final String KEY = "exchange";
  private static final String NONE = "-";

  private final HttpServerRequest request;
  private final Vertx vertx;
  private final RequestListener listener;
  private final Context context;
  private final long started = System.nanoTime();
  private final List<Runnable> atEnd = new ArrayList<>(2);
  private Access access = Access.REFUSED;
  private String route = NONE;
  private int open = 1;
  private boolean answered;

  /** Begins on the request's own context. */
  Exchange(Vertx vertx, HttpServerRequest request, RequestListener listener) {
    this.vertx = vertx;
    this.request = request;
    this.listener = listener;
    listener.requestBegan();
    this.context = vertx.getOrCreateContext();
  }

  /** The exchange of a request, or {@code null} when routing failed before it began. */
  static Exchange of(RoutingContext ctx) {
    return ctx.get(KEY);
  }

  void attach(RoutingContext ctx) {
    ctx.put(KEY, this);
  }

  /** Goes on in the request's own context, in case a shared answer came on another's. */
  void run(Runnable step) {
    if (vertx.getOrCreateContext() == context) {
      step.run();
    } else {
      context.runOnContext(go -> step.run());
    }
  }

  HttpServerRequest request() {
    return request;
  }

  Access access() {
    return access;
  }

  void grant(Access granted) {
    access = granted;
  }

  /** The operation's path in the contract, for the log. */
  void routed(String path) {
    route = path;
  }

  /** The peer itself: a header that claims another client could be anyone's word. */
  Caller caller() {
    Optional<String> principal =
        access instanceof Access.Granted granted ? granted.principal() : Optional.empty();
    return new Caller(PeerAddress.of(request.remoteAddress()), principal);
  }

  /** Adds what is to be done when nothing of it is left. */
  void atEnd(Runnable step) {
    atEnd.add(step);
  }

  /** Keeps the exchange open until the work is done, whatever becomes of the connection. */
  <T> Future<T> during(Future<T> work) {
    open++;
    return work.onComplete(done -> release());
  }

  /** The answer is written, or nobody is there any more to read it. */
  void answered(int status) {
    if (!answered) {
      answered = true;
      listener.requestEnded(
          new RequestListener.Ended(
              request.method().name(),
              route,
              status,
              Duration.ofNanos(System.nanoTime() - started)));
      log(status);
      release();
    }
  }

  private void log(int status) {
    HttpMethod method = request.method();
    boolean reads = method.equals(HttpMethod.GET) || method.equals(HttpMethod.HEAD);
    // What changes nothing can be repeated without end, by anyone, so it is not worth a line.
    Level level = reads || route.equals(NONE) ? Level.DEBUG : Level.INFO;
    if (LOG.isEnabledForLevel(level)) {
      LOG.atLevel(level)
          .log(
              "request method={} route={} status={} ms={} client={}",
              method,
              route,
              status,
              (System.nanoTime() - started) / 1_000_000,
              PeerAddress.of(request.remoteAddress()));
    }
  }

  private void release() {
    open--;
    if (open == 0) {
      atEnd.forEach(Runnable::run);
    }
  }
}
