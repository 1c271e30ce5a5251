package io.incudal.agent.upgrade;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.incudal.agent.config.UpgradeConfig;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** B90, with a service that a test plays and a window of no time. */
class UpgradeWatcherTest {
  private static final String SHA = "ab".repeat(32);

  @TempDir Path directory;
  private final FakeService service = new FakeService();
  private final Deque<Boolean> heard = new ArrayDeque<>();
  private UpgradeConfig config;
  private MarkerFile marker;
  private Path binary;

  @BeforeEach
  void aNewVersionWithItsBackup() throws IOException {
    binary = Files.writeString(directory.resolve("agent"), "new");
    Files.writeString(directory.resolve("agent.bak"), "old");
    Files.writeString(WatchSettings.file(directory), "secret");
    window(Duration.ZERO);
    marker = new MarkerFile(directory, new DiskSteps());
    mark(UpgradePhase.WATCHING);
  }

  @Test
  void putsTheBackupBackWhenTheNewVersionDies() throws Exception {
    var starts = new AtomicInteger();
    service.state =
        () ->
            new ServiceManager.ServiceState(
                ServiceManager.Activity.BETWEEN, starts.getAndIncrement());
    window(Duration.ofHours(1));
    watch();
    assertEquals("old", Files.readString(binary));
    assertEquals(List.of("restart"), service.calls);
    var last = marker.read().last().orElseThrow();
    assertEquals(UpgradePhase.ROLLED_BACK, last.phase());
    assertEquals(Optional.of("v1.0.1 died again and again"), last.reason());
    assertTrue(marker.read().rejects(SHA, Instant.MAX), "never taken again");
    assertFalse(Files.exists(WatchSettings.file(directory)), "the secret's copy is gone");
  }

  @Test
  void putsTheBackupBackWhenOnlyTheOldVersionIsHeard() throws Exception {
    heard.add(false);
    heard.add(false);
    heard.add(true);
    watch();
    assertEquals("old", Files.readString(binary));
    assertEquals(
        Optional.of("no heartbeat of v1.0.1 was accepted, while one of v1.0.0 is"),
        marker.read().last().orElseThrow().reason());
    assertTrue(heard.isEmpty(), "waited on while neither was heard");
  }

  @Test
  void leavesAVersionAloneThatHasProvenItself() throws Exception {
    mark(UpgradePhase.COMPLETED);
    watch();
    assertEquals("new", Files.readString(binary));
    assertEquals(List.of(), service.calls);
  }

  @Test
  void goesOnWithARollBackThatWasCutShort() throws Exception {
    marker.write(
        UpgradeRecord.EMPTY.with(
            attempt(UpgradePhase.WATCHING)
                .enter(UpgradePhase.ROLLING_BACK, "hangs", Instant.now())));
    watch();
    assertEquals("old", Files.readString(binary));
    assertEquals(Optional.of("hangs"), marker.read().last().orElseThrow().reason());
    assertEquals(UpgradePhase.ROLLED_BACK, marker.read().last().orElseThrow().phase());
  }

  /** B93: killed before any of its changes, the watcher leaves what the next one ends. */
  @Test
  void isStartedAnewAtAnyStepOfARollBack() throws Exception {
    int crashes = 0;
    for (int step = 1; ; step++) {
      aNewVersionWithItsBackup();
      heard.clear();
      heard.add(true);
      var watcher = watcher(new CrashingSteps(step));
      if (CrashingSteps.catchCrash(watcher::watch) == null) {
        break;
      }
      crashes++;
      String there = Files.readString(binary);
      assertTrue(there.equals("new") || there.equals("old"));
      heard.add(true);
      watch();
      assertEquals("old", Files.readString(binary), "after a crash before step " + step);
      assertEquals(UpgradePhase.ROLLED_BACK, marker.read().last().orElseThrow().phase());
    }
    assertTrue(crashes >= 7, "steps: " + crashes);
  }

  @Test
  void watchesOnlyOnce() throws Exception {
    UpgradeLock other = UpgradeLock.tryAcquire(directory, UpgradeLock.WATCHER).orElseThrow();
    watch();
    other.close();
    assertEquals(UpgradePhase.WATCHING, marker.read().last().orElseThrow().phase());
  }

  private void window(Duration window) {
    config =
        new UpgradeConfig(Duration.ZERO, window, Optional.of(binary), directory, "incudal-agent");
  }

  private void watch() throws Exception {
    watcher(new DiskSteps()).watch();
  }

  private UpgradeWatcher watcher(FileSteps files) {
    return new UpgradeWatcher(
        config, new UpgradeWatcher.Tools(service, files, heard::remove, Duration.ofMillis(1)));
  }

  private void mark(UpgradePhase phase) throws IOException {
    marker.write(UpgradeRecord.EMPTY.with(attempt(phase)));
  }

  private static UpgradeRecord.Attempt attempt(UpgradePhase phase) {
    return new UpgradeRecord.Attempt(
        phase, "v1.0.1", "v1.0.0", SHA, Optional.empty(), Instant.now());
  }
}
