package io.incudal.agent.upgrade;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;

/** {@link ServiceManager} by systemd's own tools. Blocks; worker threads and the watcher only. */
final class Systemd implements ServiceManager {
  /** One name, so that systemd itself refuses a second watcher. */
  private static final String WATCHER_UNIT = "incudal-agent-watch";

  private static final Path BOOTED = Path.of("/run/systemd/system");
  private static final Duration LIMIT = Duration.ofSeconds(30);
  private static final Duration RESTART_LIMIT = Duration.ofMinutes(2);

  private final String service;

  Systemd(String service) {
    this.service = service;
  }

  @Override
  public Optional<String> refusal() throws IOException, InterruptedException {
    if (!Files.isDirectory(BOOTED)) {
      return Optional.of("no systemd runs here; whoever started the agent has to replace it");
    }
    String pid = Long.toString(ProcessHandle.current().pid());
    return properties("MainPID").getOrDefault("MainPID", "").equals(pid)
        ? Optional.empty()
        : Optional.of("the agent does not run as the systemd unit " + service);
  }

  @Override
  public void orderRestart() throws IOException, InterruptedException {
    // Not by a systemctl of our own: the restart ends it along with us, and its exit code, that of
    // a killed process, would look like a failure.
    demand(
        LIMIT,
        List.of(
            "systemd-run",
            "--quiet",
            "--collect",
            "--on-active=2s",
            "--timer-property=AccuracySec=100ms",
            "systemctl",
            "restart",
            service));
  }

  @Override
  public boolean restart() throws IOException, InterruptedException {
    // A unit that died too often in a row would refuse to start.
    Commands.run(LIMIT, List.of("systemctl", "reset-failed", service));
    return Commands.run(RESTART_LIMIT, List.of("systemctl", "restart", service)).ok();
  }

  @Override
  public void startWatcher(Path binary, List<String> command)
      throws IOException, InterruptedException {
    List<String> run =
        new ArrayList<>(
            List.of(
                "systemd-run",
                "--quiet",
                "--collect",
                "--unit=" + WATCHER_UNIT,
                // A watcher that is killed half-way through a roll-back has to end it.
                "--property=Restart=on-abnormal",
                "--property=RestartSec=5",
                "--description=Watches an upgrade of " + service,
                "--setenv=INCUDAL_AGENT_BIN=" + binary));
    run.addAll(command);
    demand(LIMIT, run);
  }

  @Override
  public ServiceState state() throws IOException, InterruptedException {
    Map<String, String> shown = properties("ActiveState", "SubState", "NRestarts");
    Activity activity =
        switch (shown.getOrDefault("ActiveState", "")) {
          case "failed" -> Activity.FAILED;
          case "inactive", "deactivating" -> Activity.STOPPED;
          default ->
              shown.getOrDefault("SubState", "").startsWith("auto-restart")
                  ? Activity.BETWEEN
                  : Activity.UP;
        };
    return new ServiceState(activity, Integer.parseInt(shown.getOrDefault("NRestarts", "0")));
  }

  private Map<String, String> properties(String... names) throws IOException, InterruptedException {
    List<String> show = new ArrayList<>(List.of("systemctl", "show", service));
    for (String name : names) {
      show.add("--property=" + name);
    }
    return demand(LIMIT, show)
        .lines()
        .map(line -> line.split("=", 2))
        .filter(pair -> pair.length == 2)
        .collect(Collectors.toMap(pair -> pair[0], pair -> pair[1]));
  }

  private static String demand(Duration limit, List<String> command)
      throws IOException, InterruptedException {
    Commands.Result result = Commands.run(limit, command);
    if (!result.ok()) {
      throw new UpgradeException(
          command.get(0) + " failed with " + result.exit() + ": " + result.output());
    }
    return result.output();
  }
}
