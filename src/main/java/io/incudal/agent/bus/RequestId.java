package io.incudal.agent.bus;

import io.vertx.core.Vertx;
import io.vertx.core.internal.VertxBootstrap;
import io.vertx.core.spi.VertxServiceProvider;
import io.vertx.core.spi.context.storage.AccessMode;
import io.vertx.core.spi.context.storage.ContextLocal;

/**
 * The id of the HTTP request that the current context works for. It travels with every bus message,
 * and stands in every log line of that request.
 */
public final class RequestId implements VertxServiceProvider {
  private static final ContextLocal<String> LOCAL = ContextLocal.registerLocal(String.class);

  /**
   * Called by Vert.x through its service loader, so that the local is registered before the first
   * context is made.
   */
  public RequestId() {}

  @Override
  public void init(VertxBootstrap builder) {}

  /** The id of the current request, or {@code null} outside one. */
  public static String current() {
    var context = Vertx.currentContext();
    return context == null ? null : context.getLocal(LOCAL, AccessMode.CONCURRENT);
  }

  /** Binds the current context, which must be a request's or a message's own, to an id. */
  public static void bind(String id) {
    var context = Vertx.currentContext();
    if (context != null && id != null) {
      context.putLocal(LOCAL, AccessMode.CONCURRENT, id);
    }
  }
}
