package io.incudal.agent.config;

import static io.incudal.agent.config.Formats.absolutePath;
import static io.incudal.agent.config.Formats.choice;
import static io.incudal.agent.config.Formats.lowerCase;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/** The settings of the agent's own log, one line each: of both roles, so they turn on neither. */
final class LogSettings {
  private final SettingTable table = new SettingTable();

  final Setting<LogConfig.Format> format =
      table.add(
          "IPXE_LOG_FORMAT",
          "text",
          choice(Map.of("text", LogConfig.Format.TEXT, "json", LogConfig.Format.JSON)),
          "form of the agent's own log on standard output: text or json");
  final Setting<String> level =
      table.add(
          "IPXE_LOG_LEVEL",
          "info",
          lowerCase("error|warn|info|debug|trace", "one of error, warn, info, debug, trace"),
          "least level that is logged");
  final Setting<Path> levelsFile =
      table.add(
          "IPXE_LOG_LEVELS_FILE",
          absolutePath(),
          "file of lines logger=level that override it; read again when it changes");

  List<Setting<?>> all() {
    return table.rows();
  }
}
