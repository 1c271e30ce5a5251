package io.incudal.agent.config;

import static io.incudal.agent.config.Formats.absolutePath;
import static io.incudal.agent.config.Formats.clampedSeconds;
import static io.incudal.agent.config.Formats.seconds;
import static io.incudal.agent.config.Formats.text;

import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

/** The settings of the heartbeat and the upgrade, one line each. */
final class PanelSettings {
  private final SettingTable table = new SettingTable();

  final Setting<URI> url =
      table.add("INCUDAL_PANEL_URL", PanelUrl.FORMAT, "panel that gets the heartbeat; turns it on");
  final Setting<String> agentId =
      table.add(
          "INCUDAL_AGENT_ID",
          text("agt_[A-Za-z0-9_-]{24,64}", "agt_ and 24 to 64 of A-Z, a-z, 0-9, _ and -"),
          "id of this agent at the panel");
  final Setting<Secret> agentSecret =
      table.add(
          "INCUDAL_AGENT_SECRET",
          new Format<>(false, text -> new Secret(secretForm().read(text))),
          "key that signs the heartbeat");
  final Setting<Duration> interval =
      table.add(
          "INCUDAL_HEARTBEAT_INTERVAL_SECONDS",
          "30",
          clampedSeconds(5, 3600),
          "time from one heartbeat to the next, 5 to 3600");
  final Setting<Duration> requestTimeout =
      table.add(
          "INCUDAL_REQUEST_TIMEOUT_SECONDS", "10", seconds(1, 300), "limit of one request to it");
  final Setting<Path> caFile =
      table.add(
          "INCUDAL_PANEL_CA_FILE", absolutePath(), "PEM file with a CA to be trusted in addition");
  final Setting<Path> hostProc =
      table.add(
          "INCUDAL_HOST_PROC",
          "/proc",
          absolutePath(),
          "in a container: where the host's /proc is mounted");
  final Setting<Path> hostRoot =
      table.add(
          "INCUDAL_HOST_ROOT",
          "/",
          absolutePath(),
          "in a container: where the host's root directory is mounted");
  final Setting<Duration> upgradeMaxDelay =
      table.add(
          "INCUDAL_UPGRADE_MAX_DELAY_SECONDS",
          "300",
          seconds(0, 86_400),
          "upper limit of the random delay before an upgrade");
  final Setting<Duration> upgradeWatch =
      table.add(
          "INCUDAL_UPGRADE_WATCH_SECONDS",
          "300",
          seconds(10, 86_400),
          "time for a new version to get one heartbeat accepted");
  final Setting<Path> binary =
      table.add(
          "INCUDAL_AGENT_BIN", absolutePath(), "release file that runs; its launcher sets it");
  final Setting<Path> stateDirectory =
      table.add(
          "INCUDAL_STATE_DIR",
          "/var/lib/incudal-agent",
          absolutePath(),
          "directory of the upgrade's marker and lock");
  final Setting<String> service =
      table.add(
          "INCUDAL_SERVICE",
          "incudal-agent",
          text("[A-Za-z0-9][A-Za-z0-9@_.-]{0,200}", "the name of a systemd unit"),
          "systemd unit that runs the agent");

  List<Setting<?>> all() {
    return table.rows();
  }

  private static Format<String> secretForm() {
    return text("ias_[A-Za-z0-9_-]{32,96}", "ias_ and 32 to 96 of A-Z, a-z, 0-9, _ and -");
  }
}
