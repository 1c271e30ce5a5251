package io.incudal.agent.upgrade;

import io.incudal.agent.config.UpgradeConfig;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

/** How an agent starts the watcher, and sees whether there is one. Blocks; worker threads only. */
final class Watchers {
  /** The word on the command line that makes a process a watcher. */
  static final String COMMAND = "watch-upgrade";

  private Watchers() {}

  /** From the backup, so that a broken new file cannot keep it from running. */
  static void start(UpgradeConfig config, ServiceManager service)
      throws IOException, InterruptedException {
    Path binary = config.binary().orElseThrow();
    Path backup = new BinarySwap(binary, new DiskSteps()).backup();
    Path settings = WatchSettings.file(config.stateDirectory());
    service.startWatcher(
        binary, List.of(backup.toString(), COMMAND, "-config", settings.toString()));
  }

  static boolean lives(UpgradeConfig config) throws IOException {
    return UpgradeLock.isHeld(config.stateDirectory(), UpgradeLock.WATCHER);
  }
}
