package io.incudal.agent;

import io.incudal.agent.config.AgentConfig;
import io.incudal.agent.config.ConfigException;
import io.incudal.agent.config.ConfigLoader;
import io.incudal.agent.config.ConfigSources;
import io.incudal.agent.config.KnownSecrets;
import io.incudal.agent.config.LoadedConfig;
import io.incudal.agent.config.NodeConfig;
import io.incudal.agent.config.PanelConfig;
import io.incudal.agent.config.UpgradeConfig;
import io.incudal.agent.log.LogbackSetup;
import io.incudal.agent.panel.SingleHeartbeat;
import io.incudal.agent.support.AgentVersion;
import io.incudal.agent.upgrade.UpgradeWatcher;
import io.vertx.core.Vertx;
import java.io.IOException;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The command line, exit codes, and the end of the process: 0 when it did what it was asked, 1 when
 * that failed, 2 when it was asked wrongly. Runs on the main thread and the shutdown hook's, the
 * only ones that may wait; waiting throws what the awaited work failed with, checked or not.
 */
public final class Main {
  private static final int DONE = 0;
  private static final int FAILED = 1;
  private static final int MISUSED = 2;

  /** On top of what running operations get. */
  private static final Duration CLOSING = Duration.ofSeconds(8);

  private Main() {}

  public static void main(String[] arguments) {
    // Java lets a client of TLS 1.2 have as many handshakes on one connection as it likes, and
    // reads
    // this once, at the first of all.
    System.setProperty("jdk.tls.rejectClientInitiatedRenegotiation", "true");
    Optional<Integer> status = begin(arguments);
    status.ifPresent(System::exit);
  }

  /** Empty when the agent runs from now on. */
  private static Optional<Integer> begin(String... arguments) {
    CommandLine line;
    try {
      line = CommandLine.parse(arguments);
    } catch (IllegalArgumentException wrong) {
      return misused(wrong.getMessage() + System.lineSeparator() + CommandLine.USAGE);
    }
    return switch (line.mode()) {
      case VERSION -> print(AgentVersion.current());
      case HELP -> print(CommandLine.USAGE + ConfigLoader.reference());
      case ONCE, WATCH_UPGRADE, RUN -> configured(line);
    };
  }

  private static Optional<Integer> print(String text) {
    System.out.println(text.stripTrailing());
    return Optional.of(DONE);
  }

  private static Optional<Integer> misused(String text) {
    System.err.println("incudal-agent: " + text.stripTrailing());
    return Optional.of(MISUSED);
  }

  private static Optional<Integer> configured(CommandLine line) {
    Vertx vertx = Agent.vertx();
    LoadedConfig loaded;
    try {
      loaded = load(vertx, line);
    } catch (ConfigException wrong) {
      vertx.close().await();
      return misused(
          "the configuration cannot be used:\n  " + String.join("\n  ", wrong.problems()));
    }
    var secrets = new KnownSecrets(loaded.config());
    LogbackSetup.apply(loaded.config().log(), secrets::known);
    return switch (line.mode()) {
      case ONCE -> once(vertx, loaded.config());
      case WATCH_UPGRADE -> watch(vertx, loaded.config());
      default -> run(vertx, loaded, secrets);
    };
  }

  private static LoadedConfig load(Vertx vertx, CommandLine line) throws ConfigException {
    return new ConfigLoader(vertx, ConfigSources.ofProcess(line.file())).load().await();
  }

  private static Optional<Integer> once(Vertx vertx, AgentConfig config) {
    Optional<PanelConfig> panel = config.panel();
    if (panel.isEmpty()) {
      return misused("--once sends a heartbeat, which needs INCUDAL_PANEL_URL (panel_url)");
    }
    try {
      SingleHeartbeat.Result result = SingleHeartbeat.send(vertx, panel.get()).await();
      System.out.println(result.summary());
      return Optional.of(result.accepted() ? DONE : FAILED);
    } catch (Exception failure) {
      System.err.println("incudal-agent: the heartbeat failed: " + failure.getMessage());
      return Optional.of(FAILED);
    }
  }

  /** Works without Vert.x, which would only take up memory for the minutes of the watch. */
  private static Optional<Integer> watch(Vertx vertx, AgentConfig config) {
    vertx.close().await();
    Optional<UpgradeConfig> upgrade = config.panel().map(PanelConfig::upgrade);
    if (upgrade.flatMap(UpgradeConfig::binary).isEmpty()) {
      return misused("watch-upgrade is started by the agent itself, from a release file");
    }
    try {
      UpgradeWatcher.of(config.panel().get()).watch();
      return Optional.of(DONE);
    } catch (IOException | InterruptedException failure) {
      LoggerFactory.getLogger(Main.class).error("upgrade cannot be watched", failure);
      return Optional.of(FAILED);
    }
  }

  private static Optional<Integer> run(Vertx vertx, LoadedConfig loaded, KnownSecrets secrets) {
    Logger log = LoggerFactory.getLogger(Main.class);
    log.info(
        "agent starting version={} pid={}", AgentVersion.current(), ProcessHandle.current().pid());
    log.info("configuration {}", String.join(" ", loaded.effective()));
    loaded.warnings().forEach(warning -> log.warn("configuration {}", warning));
    // The agent makes one of its own, which is measured.
    vertx.close().await();
    var agent = new Agent(loaded.config(), secrets);
    Duration patience =
        loaded.config().node().map(NodeConfig::stopTimeout).orElse(Duration.ZERO).plus(CLOSING);
    Runtime.getRuntime().addShutdownHook(new Thread(() -> stop(log, agent, patience), "stop"));
    try {
      agent.start().await();
      log.info("agent started");
      return Optional.empty();
    } catch (Exception failure) {
      log.error("agent cannot start", failure);
      agent.stop().otherwiseEmpty().await();
      Runtime.getRuntime().halt(FAILED);
      return Optional.of(FAILED);
    }
  }

  /** A signal would make the exit code 143, although everything was ended as it should be. */
  private static void stop(Logger log, Agent agent, Duration patience) {
    log.info("agent stopping");
    int status = DONE;
    try {
      agent.stop().await(patience.toMillis(), TimeUnit.MILLISECONDS);
      log.info("agent stopped");
    } catch (Exception failure) {
      log.error("agent did not stop in order", failure);
      status = FAILED;
    }
    Runtime.getRuntime().halt(status);
  }
}
