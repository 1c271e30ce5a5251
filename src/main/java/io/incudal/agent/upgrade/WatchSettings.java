package io.incudal.agent.upgrade;

import io.incudal.agent.config.PanelConfig;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;

/**
 * The configuration file of the watcher, and of the heartbeat that it sends by the old binary: what
 * the old version ran with, from whatever sources it came. Readable by root only, and gone when the
 * watch is over.
 */
final class WatchSettings {
  private static final String NAME = "watch.yaml";

  private WatchSettings() {}

  static Path file(Path stateDirectory) {
    return stateDirectory.resolve(NAME);
  }

  /** JSON is YAML. */
  static void write(PanelConfig config, FileSteps steps) throws IOException {
    var settings =
        new JsonObject()
            .put("panel_url", config.url().toString())
            .put("agent_id", config.agentId())
            .put("agent_secret", config.agentSecret().value())
            .put("request_timeout_seconds", config.requestTimeout().toSeconds())
            .put("host_proc", config.host().proc().toString())
            .put("host_root", config.host().root().toString())
            .put("state_dir", config.upgrade().stateDirectory().toString())
            .put("service", config.upgrade().service())
            .put("upgrade_watch_seconds", config.upgrade().watchWindow().toSeconds());
    config.caFile().ifPresent(file -> settings.put("panel_ca_file", file.toString()));
    steps.write(
        file(config.upgrade().stateDirectory()),
        settings.encodePrettily().getBytes(StandardCharsets.UTF_8));
  }
}
