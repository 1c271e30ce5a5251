package io.incudal.agent.bus;

import io.vertx.core.Vertx;
import io.vertx.core.internal.VertxBootstrap;
import io.vertx.core.spi.VertxServiceProvider;
import io.vertx.core.spi.context.storage.AccessMode;
import io.vertx.core.spi.context.storage.ContextLocal;

/**
 * What the current context works for. It travels with every bus message, and stands in every log
 * line of that work.
 */
public enum LogTag {
  /** Id of the HTTP request. */
  REQUEST("request"),
  /** Target that the operation is about; only a name that was found valid. */
  IQN("iqn");

  private final ContextLocal<String> local = ContextLocal.registerLocal(String.class);
  private final String label;

  LogTag(String label) {
    this.label = label;
  }

  /** Its name in log lines. */
  public String label() {
    return label;
  }

  /** The value for the current context, or {@code null} when it has none. */
  public String current() {
    var context = Vertx.currentContext();
    return context == null ? null : context.getLocal(local, AccessMode.CONCURRENT);
  }

  /** Binds the current context, which must be a request's or a message's own, to a value. */
  public void bind(String value) {
    var context = Vertx.currentContext();
    if (context != null && value != null) {
      context.putLocal(local, AccessMode.CONCURRENT, value);
    }
  }

  /** Has the tags registered before the first context is made. */
  public static final class Registration implements VertxServiceProvider {
    /** Called by Vert.x through its service loader. */
    public Registration() {
      LogTag.values();
    }

    @Override
    public void init(VertxBootstrap builder) {}
  }
}
