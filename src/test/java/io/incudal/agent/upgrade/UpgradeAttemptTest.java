package io.incudal.agent.upgrade;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.incudal.agent.bus.Bus;
import io.incudal.agent.config.HostConfig;
import io.incudal.agent.config.PanelConfig;
import io.incudal.agent.config.Secret;
import io.incudal.agent.config.UpgradeConfig;
import io.vertx.core.Vertx;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.MessageDigest;
import java.time.Duration;
import java.time.InstantSource;
import java.util.HexFormat;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The steps on a real disk, with shell scripts for binaries and a service that a test plays. */
class UpgradeAttemptTest {
  private static final String OLD = "#!/bin/sh\necho v1.0.0\n";
  private static final String NEW = "#!/bin/sh\necho v1.0.1\n";
  private static Vertx vertx;
  private static Bus bus;

  @TempDir Path directory;
  private final FakeService service = new FakeService();
  private Path binary;
  private Path backup;
  private PanelConfig config;
  private UpgradeLock watcher;

  @BeforeAll
  static void bus() {
    vertx = Vertx.vertx();
    bus = Bus.install(vertx);
  }

  @AfterAll
  static void close() {
    vertx.close();
  }

  @BeforeEach
  void aRunningBinary() throws IOException {
    binary = script("agent", OLD);
    backup = directory.resolve("agent.bak");
    Path state = Files.createDirectories(directory.resolve("state"));
    config =
        new PanelConfig(
            URI.create("https://panel.test"),
            "agt_x",
            new Secret("ias_x"),
            Duration.ofSeconds(30),
            Duration.ofSeconds(10),
            Optional.empty(),
            HostConfig.DEFAULT,
            new UpgradeConfig(
                Duration.ZERO, Duration.ofMinutes(5), Optional.of(binary), state, "agent"));
    service.onWatcher = this::beWatched;
  }

  @AfterEach
  void unwatch() throws IOException {
    if (watcher != null) {
      watcher.close();
    }
  }

  @Test
  void putsTheNewFileInPlaceAndLeavesTheRunningOneUntouched() throws Exception {
    Object inode = Files.getAttribute(binary, "unix:ino");
    var attempt = attempt(new DiskSteps(), NEW);
    attempt.begin();
    download(attempt, NEW);
    attempt.test();
    attempt.replace();
    assertEquals(NEW, Files.readString(binary));
    assertEquals("rwxr-xr-x", PosixFilePermissions.toString(Files.getPosixFilePermissions(binary)));
    assertEquals(OLD, Files.readString(backup));
    assertEquals(inode, Files.getAttribute(backup, "unix:ino"), "the file that runs, as it was");
    assertEquals(
        "watcher " + backup + " watch-upgrade -config " + watchSettings(), service.calls.get(0));
    assertEquals("order restart", service.calls.get(1));
    assertEquals(
        "rw-------", PosixFilePermissions.toString(Files.getPosixFilePermissions(watchSettings())));
    assertTrue(attempt.ordered());
    assertTrue(
        UpgradeLock.isHeld(config.upgrade().stateDirectory(), UpgradeLock.ATTEMPT),
        "until this process has ended");
    attempt.close();
  }

  @Test
  void restoresTheOldFileWhenTheWatcherCannotBeStarted() throws Exception {
    service.onWatcher =
        () -> {
          throw new UpgradeException("systemd-run failed with 1");
        };
    failsAtReplacing("systemd-run failed with 1");
  }

  @Test
  void restoresTheOldFileWhenTheRestartCannotBeOrdered() throws Exception {
    service.onOrder =
        () -> {
          throw new UpgradeException("systemd-run failed with 1");
        };
    failsAtReplacing("systemd-run failed with 1");
  }

  /** B93. A process that is killed before any change of the disk is followed by a complete one. */
  @Test
  void leavesACompleteVersionWheneverItIsKilled() throws Exception {
    Set<UpgradePhase> interrupted = new TreeSet<>();
    int step = 1;
    while (true) {
      aRunningBinary();
      var attempt = attempt(new CrashingSteps(step), NEW);
      Class<?> end =
          CrashingSteps.catchCrash(
              () -> {
                attempt.begin();
                download(attempt, NEW);
                attempt.test();
                attempt.replace();
              });
      attempt.close();
      if (end == null) {
        break;
      }
      assertEquals(CrashingSteps.Crash.class, end);
      interrupted.addAll(startAgain(step));
      step++;
      unwatch();
    }
    assertTrue(step > 12, "steps: " + step);
    assertEquals(Set.of(UpgradePhase.FAILED, UpgradePhase.WATCHING), interrupted);
  }

  /** The next start, of whichever version the disk has. */
  private Set<UpgradePhase> startAgain(int step) throws Exception {
    String there = Files.readString(binary);
    assertTrue(there.equals(OLD) || there.equals(NEW), "complete after a crash at " + step);
    assertTrue(Files.isExecutable(binary));
    var journal = journal(new DiskSteps());
    new Homecoming(config.upgrade(), journal, new DiskSteps(), service)
        .settle(there.equals(OLD) ? "v1.0.0" : "v1.0.1");
    try (var files = Files.list(directory)) {
      assertEquals(
          Set.of(),
          files
              .map(file -> file.getFileName().toString())
              .filter(name -> name.startsWith("."))
              .collect(Collectors.toSet()),
          "nothing is left over");
    }
    var last = journal.record().last();
    if (last.isPresent() && last.get().phase() == UpgradePhase.WATCHING) {
      assertEquals(NEW, there);
      assertTrue(Watchers.lives(config.upgrade()));
    }
    assertFalse(last.isPresent() && last.get().phase().beforeSwap(), "settled: " + last);
    return last.stream().map(UpgradeRecord.Attempt::phase).collect(Collectors.toSet());
  }

  @Test
  void refusesAFileThatIsNotTheVersionOffered() throws Exception {
    failsAtTesting("#!/bin/sh\necho v1.0.0\n", "the new file is not version v1.0.1");
  }

  @Test
  void refusesAFileThatCannotSayItsVersion() throws Exception {
    failsAtTesting("#!/bin/sh\nexit 1\n", "the new file does not run on this machine");
    failsAtTesting("<html>v1.0.1</html>", "the new file does not run on this machine");
  }

  @Test
  void refusesAFileWithAnotherHash() throws Exception {
    var attempt = attempt(new DiskSteps(), NEW);
    attempt.begin();
    download(attempt, NEW + "#");
    failsWith(attempt, attempt::test, "the SHA-256 of the download is not the one offered");
  }

  /** B93, and two agents of one binary. */
  @Test
  void leavesMarkerAndBinaryToTheProcessThatHasTheLock() throws Exception {
    var first = attempt(new DiskSteps(), NEW);
    first.begin();
    var state = config.upgrade().stateDirectory();
    String marker = Files.readString(state.resolve("upgrade.json"));
    var second = attempt(new DiskSteps(), NEW);
    second.undo(new UpgradeException("another process upgrades this binary"));
    second.close();
    assertEquals(marker, Files.readString(state.resolve("upgrade.json")));
    first.close();
  }

  private void failsAtTesting(String content, String reason) throws Exception {
    var attempt = attempt(new DiskSteps(), content);
    attempt.begin();
    download(attempt, content);
    failsWith(attempt, attempt::test, reason);
    var record = new MarkerFile(config.upgrade().stateDirectory(), new DiskSteps()).read();
    assertTrue(record.rejects(sha256(content), java.time.Instant.now()), "rests for a day");
  }

  private void failsAtReplacing(String reason) throws Exception {
    var attempt = attempt(new DiskSteps(), NEW);
    attempt.begin();
    download(attempt, NEW);
    attempt.test();
    failsWith(attempt, attempt::replace, reason);
  }

  private void failsWith(UpgradeAttempt attempt, CrashingSteps.Action step, String reason)
      throws Exception {
    UpgradeException failure = null;
    try {
      step.run();
    } catch (UpgradeException expected) {
      failure = expected;
    }
    assertEquals(reason, failure.getMessage());
    attempt.undo(failure);
    attempt.close();
    assertEquals(OLD, Files.readString(binary));
    assertFalse(Files.exists(watchSettings()));
    try (var files = Files.list(directory)) {
      assertTrue(files.noneMatch(file -> file.getFileName().toString().startsWith(".")));
    }
    var last =
        new MarkerFile(config.upgrade().stateDirectory(), new DiskSteps()).read().last().get();
    assertEquals(UpgradePhase.FAILED, last.phase());
    assertEquals(Optional.of(reason), last.reason());
  }

  private UpgradeAttempt attempt(FileSteps files, String content) throws Exception {
    var wanted =
        new UpgradePackage(
            "v1.0.1",
            URI.create("https://panel.test/b"),
            sha256(content),
            false,
            OptionalLong.empty());
    var journal = journal(files);
    journal.open(wanted, "v1.0.0");
    return new UpgradeAttempt(config, wanted, new UpgradeAttempt.Tools(journal, files, service));
  }

  private UpgradeJournal journal(FileSteps files) {
    return new UpgradeJournal(
        new MarkerFile(config.upgrade().stateDirectory(), files), bus, InstantSource.system());
  }

  private static void download(UpgradeAttempt attempt, String content) throws IOException {
    Files.writeString(attempt.packed(), content);
  }

  private Path script(String name, String content) throws IOException {
    Path file = Files.writeString(directory.resolve(name), content);
    Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rwxr-xr-x"));
    return file;
  }

  private Path watchSettings() {
    return WatchSettings.file(config.upgrade().stateDirectory());
  }

  private void beWatched() {
    try {
      watcher =
          UpgradeLock.tryAcquire(config.upgrade().stateDirectory(), UpgradeLock.WATCHER)
              .orElseThrow();
    } catch (IOException broken) {
      throw new IllegalStateException(broken);
    }
  }

  private static String sha256(String content) throws Exception {
    return HexFormat.of()
        .formatHex(MessageDigest.getInstance("SHA-256").digest(content.getBytes()));
  }
}
