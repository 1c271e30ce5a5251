package io.incudal.agent.exec;

import io.incudal.agent.config.BackendConfig;
import io.vertx.core.Vertx;
import java.net.URI;
import java.util.stream.Stream;

/** Makes the tool runner that the settings ask for. */
public final class ToolRunners {
  private ToolRunners() {}

  /** Reaches for nothing yet: the container may come later. */
  public static ToolRunner create(Vertx vertx, BackendConfig config, ToolListener listener) {
    return switch (config.executor()) {
      case DOCKER -> docker(vertx, config, SessionSettings.DEFAULT, listener);
      case LOCAL -> local(vertx, SessionSettings.DEFAULT, listener);
    };
  }

  static ToolRunner docker(
      Vertx vertx, BackendConfig config, SessionSettings settings, ToolListener listener) {
    // An opening that hangs is given up and tried again; two such leftovers a session at most.
    var host =
        new DockerContainer(
            URI.create(config.dockerHost()), config.container(), 2 * settings.sessions());
    return shells(vertx, host, settings, listener);
  }

  static ToolRunner local(Vertx vertx, SessionSettings settings, ToolListener listener) {
    var processes = new LocalProcesses(settings.outputLimit());
    var workers =
        Stream.generate(() -> new LocalWorker(processes)).limit(settings.sessions()).toList();
    return new PooledToolRunner(vertx, workers, listener, processes::close);
  }

  static ToolRunner shells(
      Vertx vertx, ShellHost host, SessionSettings settings, ToolListener listener) {
    var keeper = new ShellKeeper(host, settings, listener);
    var workers =
        Stream.generate(() -> new SessionWorker(keeper)).limit(settings.sessions()).toList();
    return new PooledToolRunner(vertx, workers, listener, keeper::close);
  }
}
