package io.incudal.agent.upgrade;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.incudal.agent.bus.Addresses;
import io.incudal.agent.bus.Bus;
import io.incudal.agent.config.HostConfig;
import io.incudal.agent.config.PanelConfig;
import io.incudal.agent.config.Secret;
import io.incudal.agent.config.UpgradeConfig;
import io.incudal.agent.lun.LunMessages;
import io.incudal.agent.panel.PanelMessages;
import io.incudal.agent.panel.reference.ReferencePanel;
import io.incudal.agent.panel.reference.ReferencePanel.Answer;
import io.incudal.agent.panel.reference.SelfSignedCertificate;
import io.incudal.agent.support.AgentVersion;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.MessageDigest;
import java.time.Duration;
import java.time.Instant;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The whole upgrade but for systemd, which a test plays, with real downloads over TLS. */
class UpgradeIT {
  private static final String OLD = "#!/bin/sh\necho " + AgentVersion.current() + "\n";
  private static final String NEW = "#!/bin/sh\necho v9.9.9\n";

  @TempDir static Path shared;
  private static SelfSignedCertificate certificate;

  @TempDir Path directory;
  private final FakeService service = new FakeService();
  private Vertx vertx;
  private Bus bus;
  private ReferencePanel panel;
  private ReferencePanel evil;
  private Path binary;
  private Path state;
  private Path shelf;
  private UpgradeLock watcher;

  @BeforeAll
  static void certificate() throws Exception {
    certificate = SelfSignedCertificate.make(shared);
  }

  @BeforeEach
  void start() throws Exception {
    vertx = Vertx.vertx();
    bus = Bus.install(vertx);
    panel = get(ReferencePanel.start(vertx, certificate));
    evil = get(ReferencePanel.start(vertx, certificate));
    shelf = Files.createDirectory(directory.resolve("shelf"));
    state = Files.createDirectory(directory.resolve("state"));
    binary = Files.createDirectory(directory.resolve("bin")).resolve("agent");
    write(binary, OLD);
    panel.publish(shelf, "v9.9.9");
    service.onWatcher = this::beWatched;
  }

  @AfterEach
  void stop() throws Exception {
    get(vertx.close());
    if (watcher != null) {
      watcher.close();
    }
  }

  @Test
  void downloadsChecksAndReplaces() throws Exception {
    deploy();
    offer(NEW);
    await(() -> service.calls.contains("order restart"));
    assertEquals(NEW, Files.readString(binary));
    assertEquals(OLD, Files.readString(backup()));
    assertEquals("restarting", status().phase());
    assertEquals(1, panel.requests().size(), "exactly one download");
  }

  @Test
  void unpacksAPackedRelease() throws Exception {
    var packed = new ByteArrayOutputStream();
    try (var gzip = new GZIPOutputStream(packed)) {
      gzip.write(NEW.getBytes(StandardCharsets.UTF_8));
    }
    Files.write(shelf.resolve("incudal-agent-linux-amd64"), packed.toByteArray());
    deploy();
    send(
        new UpgradeMessages.Offer(
            "v9.9.9", url(), sha256(packed.toByteArray()), true, OptionalLong.empty()));
    await(() -> service.calls.contains("order restart"));
    assertEquals(NEW, Files.readString(binary));
  }

  @Test
  void followsARedirectWithinThePanel() throws Exception {
    panel.scriptDownloads(
        Answer.status(302).header("location", "/api/agent/binary/incudal-agent-linux-amd64?x=1"),
        Answer.status(307)
            .header("location", panel.url() + "/api/agent/binary/incudal-agent-linux-amd64"));
    deploy();
    offer(NEW);
    await(() -> service.calls.contains("order restart"));
    assertEquals(3, panel.requests().size());
  }

  /** B94. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "https://127.0.0.1:EVIL/x",
        "https://localhost:EVIL/x",
        "https://localhost:PANEL/x",
        "http://127.0.0.1:PANEL/x",
        "http://127.0.0.1:EVIL/x",
        "//127.0.0.1:EVIL/x",
        "//localhost:PANEL/x",
        "https://127.0.0.1:PANEL@127.0.0.1:EVIL/x",
        "https://user@127.0.0.1:PANEL/x",
        "https://127.0.0.1/x",
        "https://127.0.0.1.:PANEL/x",
        "https://127.1:EVIL/x",
        "https://[::1]:EVIL/x",
        "ftp://127.0.0.1:PANEL/x",
        "file:///etc/passwd",
        "https:127.0.0.1:EVIL",
        "\\\\127.0.0.1:EVIL\\x",
        "https://127.0.0.1:EVIL#@127.0.0.1:PANEL/x"
      })
  void followsNoRedirectAwayFromThePanel(String location) throws Exception {
    panel.scriptDownloads(Answer.status(302).header("location", ports(location)));
    deploy();
    offer(NEW);
    await(() -> status().phase().equals("failed"));
    assertEquals(List.of(), evil.requests());
    assertEquals(1, panel.requests().size());
    untouched();
  }

  /** B94. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "https://127.0.0.1:EVIL/api/agent/binary/x",
        "https://127.0.0.1:PANEL@127.0.0.1:EVIL/x",
        "https://user@127.0.0.1:PANEL/x",
        "http://127.0.0.1:PANEL/x",
        "//127.0.0.1:EVIL/x",
        "/api/agent/binary/incudal-agent-linux-amd64"
      })
  void asksNobodyForAnOfferThatLeadsElsewhere(String url) throws Exception {
    deploy();
    send(
        new UpgradeMessages.Offer(
            "v9.9.9",
            ports(url),
            sha256(NEW.getBytes(StandardCharsets.UTF_8)),
            false,
            OptionalLong.empty()));
    await(() -> status().phase().equals("refused"));
    assertEquals(List.of(), evil.requests());
    assertEquals(List.of(), panel.requests());
    untouched();
  }

  @Test
  void givesUpOnARedirectWithoutEnd() throws Exception {
    var again = Answer.status(302).header("location", url());
    panel.scriptDownloads(again, again, again, again, again, again, again, again);
    deploy();
    failsWith(NEW, "the panel redirects without end");
    assertEquals(6, panel.requests().size());
  }

  /** B95. */
  @Test
  void refusesOtherBodiesForTheArtifactAndLeavesThemAloneForADay() throws Exception {
    deploy();
    for (String body : List.of("", "<html>sign in</html>", NEW + "# more")) {
      panel.scriptDownloads(Answer.status(200).body(body));
      int before = panel.requests().size();
      failsWith(NEW + "#" + before, "the SHA-256 of the download is not the one offered");
      offer(NEW + "#" + before);
      offer(NEW + "#" + before);
      Thread.sleep(200);
      assertEquals(before + 1, panel.requests().size());
    }
  }

  /** B95. */
  @Test
  void noticesADownloadThatIsCutShort() throws Exception {
    panel.scriptDownloads(Answer.status(200).header("content-length", "1000").body("#!/bin/sh"));
    deploy();
    offer(NEW);
    await(() -> status().phase().equals("failed"));
    untouched();
    var record = new MarkerFile(state, new DiskSteps()).read();
    assertTrue(record.rejections().isEmpty(), "worth another try soon");
  }

  /** B95. */
  @Test
  void noticesADownloadOfAnotherSize() throws Exception {
    Files.writeString(shelf.resolve("incudal-agent-linux-amd64"), NEW);
    deploy();
    send(
        new UpgradeMessages.Offer(
            "v9.9.9",
            url(),
            sha256(NEW.getBytes(StandardCharsets.UTF_8)),
            false,
            OptionalLong.of(1000)));
    await(() -> status().phase().equals("failed"));
    assertEquals(Optional.of("the download has 22 bytes instead of 1000"), status().reason());
    untouched();
  }

  @Test
  void reportsAPanelThatHasNoSuchFile() throws Exception {
    panel.scriptDownloads(Answer.status(503), Answer.status(503));
    deploy();
    failsWith(NEW, "the panel answered the download with 503");
  }

  /** B91. */
  @Test
  void triesAFileOfAnotherVersionOnlyOnce() throws Exception {
    deploy();
    String liar = "#!/bin/sh\necho v9.9.8\n";
    failsWith(liar, "the new file is not version v9.9.9");
    for (int i = 0; i < 5; i++) {
      offer(liar);
    }
    Thread.sleep(300);
    assertEquals(1, panel.requests().size());
  }

  /** B89. */
  @Test
  void leavesEverythingAsItWasWhenTheDiskIsFull() throws Exception {
    try (var disk = new SmallDisk(binary.getParent())) {
      write(binary, OLD);
      deploy();
      offer(NEW + "#".repeat(2 << 20));
      await(() -> status().phase().equals("failed"));
      assertTrue(status().reason().orElse("").contains("No space"), status().toString());
      untouched();
      disk.readOnly();
    }
  }

  /** B89. */
  @Test
  void leavesEverythingAsItWasWhenTheDirectoryIsReadOnly() throws Exception {
    try (var disk = new SmallDisk(binary.getParent())) {
      write(binary, OLD);
      disk.readOnly();
      deploy();
      offer(NEW);
      await(() -> status().phase().equals("failed"));
      assertTrue(status().reason().orElse("").contains("Read-only"), status().toString());
      untouched();
    }
  }

  @Test
  void refusesWithoutSystemdAndSaysSo() throws Exception {
    service.refusal = Optional.of("no systemd runs here");
    deploy();
    offer(NEW);
    await(() -> status().phase().equals("refused"));
    assertEquals(Optional.of("no systemd runs here"), status().reason());
    offer(NEW);
    assertEquals(List.of(), panel.requests());
    untouched();
  }

  @Test
  void refusesWhenItWasNotStartedFromAReleaseFile() throws Exception {
    get(vertx.deployVerticle(new UpgradeVerticle(config(Optional.empty()), bus, service)));
    offer(NEW);
    await(() -> status().phase().equals("refused"));
    assertEquals(List.of(), panel.requests());
  }

  /** B87. */
  @Test
  void waitsForOperationsToEnd() throws Exception {
    var running = new AtomicInteger(2);
    bus.serve(
        Addresses.LUN_QUERY,
        LunMessages.CountOperations.class,
        query -> Future.succeededFuture(new LunMessages.Operations(running.get())));
    deploy();
    offer(NEW);
    await(() -> status().phase().equals("draining"));
    assertEquals(Optional.of("waits for 2 operations"), status().reason());
    assertEquals(OLD, Files.readString(binary));
    running.set(0);
    await(() -> service.calls.contains("order restart"));
  }

  @Test
  void tellsThatTheNewVersionHasProvenItself() throws Exception {
    left(UpgradePhase.WATCHING);
    Files.writeString(WatchSettings.file(state), "secret");
    deploy();
    assertEquals("watching", status().phase());
    bus.publish(Addresses.EVENT_HEARTBEAT, new PanelMessages.HeartbeatAccepted());
    await(() -> status().phase().equals("completed"));
    assertEquals(
        UpgradePhase.COMPLETED,
        new MarkerFile(state, new DiskSteps()).read().last().orElseThrow().phase());
    assertFalse(Files.exists(WatchSettings.file(state)));
  }

  @Test
  void tellsWhyItWasRolledBack() throws Exception {
    var marker = new MarkerFile(state, new DiskSteps());
    marker.write(
        UpgradeRecord.EMPTY.with(
            new UpgradeRecord.Attempt(
                UpgradePhase.ROLLING_BACK,
                "v9.9.9",
                AgentVersion.current(),
                sha256(NEW.getBytes(StandardCharsets.UTF_8)),
                Optional.of("v9.9.9 died"),
                Instant.now())));
    deploy();
    assertEquals("rolled_back", status().phase());
    assertEquals(Optional.of("v9.9.9 died"), status().reason());
    offer(NEW);
    Thread.sleep(200);
    assertEquals(List.of(), panel.requests(), "not taken again");
  }

  /** A marker on a broken disk must not keep the agent from its work. */
  @Test
  void startsWithoutAMarkerThatCanBeRead() throws Exception {
    Files.createDirectory(state.resolve("upgrade.json"));
    deploy();
    assertEquals(Optional.empty(), get(read()).last());
  }

  @Test
  void stopsInTheMiddleOfADownload() throws Exception {
    panel.scriptDownloads(Answer.status(200).after(Duration.ofMinutes(1)));
    String deployment = deploy();
    offer(NEW);
    await(() -> panel.requests().size() == 1);
    get(vertx.undeploy(deployment));
    untouched();
  }

  private void failsWith(String content, String reason) throws Exception {
    Instant before = status().at();
    offer(content);
    await(() -> status().phase().equals("failed") && !status().at().equals(before));
    await(() -> !UpgradeIT.this.locked());
    assertEquals(Optional.of(reason), status().reason());
    untouched();
  }

  private boolean locked() {
    try {
      return UpgradeLock.isHeld(state, UpgradeLock.ATTEMPT);
    } catch (IOException broken) {
      throw new IllegalStateException(broken);
    }
  }

  private void untouched() throws IOException {
    assertEquals(OLD, Files.readString(binary));
    assertFalse(service.calls.contains("order restart"));
    try (var files = Files.list(binary.getParent())) {
      assertEquals(List.of(binary), files.toList());
    }
  }

  private void left(UpgradePhase phase) throws Exception {
    new MarkerFile(state, new DiskSteps())
        .write(
            UpgradeRecord.EMPTY.with(
                new UpgradeRecord.Attempt(
                    phase,
                    AgentVersion.current(),
                    "v0.0.1",
                    "ab".repeat(32),
                    Optional.empty(),
                    Instant.now())));
  }

  private String deploy() throws Exception {
    return get(
        vertx.deployVerticle(new UpgradeVerticle(config(Optional.of(binary)), bus, service)));
  }

  private PanelConfig config(Optional<Path> release) {
    return new PanelConfig(
        URI.create(panel.url()),
        "agt_0123456789abcdefghijklmn",
        new Secret("ias_0123456789abcdefghijklmnopqrstuvwxyz"),
        Duration.ofSeconds(30),
        Duration.ofSeconds(5),
        Optional.of(certificate.pem()),
        HostConfig.DEFAULT,
        new UpgradeConfig(Duration.ZERO, Duration.ofMinutes(5), release, state, "agent"));
  }

  /** Publishes and offers this content as v9.9.9. */
  private void offer(String content) throws Exception {
    byte[] bytes = content.getBytes(StandardCharsets.UTF_8);
    Files.write(shelf.resolve("incudal-agent-linux-amd64"), bytes);
    send(new UpgradeMessages.Offer("v9.9.9", url(), sha256(bytes), false, OptionalLong.empty()));
  }

  private void send(UpgradeMessages.Offer offer) throws Exception {
    get(bus.request(Addresses.UPGRADE_OFFER, offer, Duration.ofSeconds(5)));
  }

  private UpgradeMessages.Attempt status() {
    try {
      return get(read())
          .last()
          .orElse(new UpgradeMessages.Attempt("none", "", Optional.empty(), Instant.EPOCH));
    } catch (Exception broken) {
      throw new IllegalStateException(broken);
    }
  }

  private Future<UpgradeMessages.Status> read() {
    return bus.request(
        Addresses.UPGRADE_STATUS, new UpgradeMessages.ReadStatus(), Duration.ofSeconds(5));
  }

  private String url() {
    return panel.url() + "/api/agent/binary/incudal-agent-linux-amd64?v=v9.9.9";
  }

  private String ports(String url) {
    return url.replace("EVIL", "" + evil.port()).replace("PANEL", "" + panel.port());
  }

  private Path backup() {
    return binary.resolveSibling("agent.bak");
  }

  private void beWatched() {
    try {
      watcher = UpgradeLock.tryAcquire(state, UpgradeLock.WATCHER).orElseThrow();
    } catch (IOException broken) {
      throw new IllegalStateException(broken);
    }
  }

  private static void write(Path file, String content) throws IOException {
    Files.writeString(file, content);
    Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rwxr-xr-x"));
  }

  private static String sha256(byte[] content) throws Exception {
    return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(content));
  }

  private static <T> T get(Future<T> future) throws Exception {
    return future.toCompletionStage().toCompletableFuture().get(20, TimeUnit.SECONDS);
  }

  private static void await(BooleanSupplier condition) throws InterruptedException {
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(20);
    while (!condition.getAsBoolean()) {
      assertTrue(System.nanoTime() < end, "does not come true");
      Thread.sleep(20);
    }
  }
}
