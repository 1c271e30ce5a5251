package io.incudal.agent.panel;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.incudal.agent.bus.Addresses;
import io.incudal.agent.bus.Bus;
import io.incudal.agent.config.HostConfig;
import io.incudal.agent.config.PanelConfig;
import io.incudal.agent.config.Secret;
import io.incudal.agent.config.UpgradeConfig;
import io.incudal.agent.image.ImageMessages;
import io.incudal.agent.lun.LunMessages;
import io.incudal.agent.panel.reference.ReferencePanel;
import io.incudal.agent.panel.reference.ReferencePanel.Answer;
import io.incudal.agent.panel.reference.SelfSignedCertificate;
import io.incudal.agent.testing.CapturedLog;
import io.incudal.agent.upgrade.UpgradeMessages;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The heartbeat against the reference panel, over TLS on loopback. */
class HeartbeatIT {
  private static final String ID = "agt_0123456789abcdefghijklmn";
  private static final String SECRET = "ias_0123456789abcdefghijklmnopqrstuvwxyz";

  @TempDir static Path directory;
  private static SelfSignedCertificate certificate;

  private Vertx vertx;
  private Bus bus;
  private ReferencePanel panel;

  @BeforeAll
  static void certificate() throws Exception {
    certificate = SelfSignedCertificate.make(directory);
  }

  @BeforeEach
  void start() throws Exception {
    vertx = Vertx.vertx();
    bus = Bus.install(vertx);
    panel = get(ReferencePanel.start(vertx, certificate));
    panel.enrol(ID, SECRET);
  }

  @AfterEach
  void stop() throws Exception {
    get(vertx.close());
  }

  @Test
  void beatsWithinASecondAndThenAtTheInterval() throws Exception {
    Instant start = Instant.now();
    deploy(config(Duration.ofMillis(300)), false);
    await(() -> panel.acceptedBeats() >= 4);
    var beats = panel.beats();
    assertTrue(Duration.between(start, beats.get(0).at()).toMillis() < 2500);
    for (int i = 1; i < 4; i++) {
      long gap = Duration.between(beats.get(i - 1).at(), beats.get(i).at()).toMillis();
      assertTrue(gap >= 200 && gap < 1000, "gap " + gap);
    }
  }

  @Test
  void sendsABodyThatThePanelPrintsAgainToTheSameBytes() throws Exception {
    deploy(config(Duration.ofMillis(100)), false);
    await(() -> panel.acceptedBeats() >= 3);
    for (var beat : panel.beats()) {
      assertEquals(Optional.empty(), beat.problem());
      assertEquals(PanelFormat.print(beat.body()), beat.raw());
    }
    JsonObject body = panel.beats().get(0).body();
    assertTrue(body.getString("version").matches("v\\d+\\.\\d+\\.\\d+"));
    assertEquals("linux", body.getJsonObject("runtime").getString("goos"));
    assertEquals(
        new JsonArray(List.of("heartbeat", "report", "host-metrics")),
        body.getJsonArray("capabilities"));
    assertTrue(body.getJsonObject("metrics").getString("reportedAt").endsWith("Z"));
    assertFalse(body.containsKey("iscsi"));
    assertFalse(body.containsKey("upgradeStatus"));
  }

  /** B81. */
  @Test
  void followsThePanelsClockAndComesBackWithIt() throws Exception {
    panel.moveClock(Duration.ofMinutes(10));
    try (var log = new CapturedLog("io.incudal.agent.panel")) {
      deploy(config(Duration.ofMillis(200)), false);
      await(() -> panel.acceptedBeats() >= 2);
      panel.moveClock(Duration.ZERO);
      long before = panel.acceptedBeats();
      await(() -> panel.acceptedBeats() >= before + 2);
      assertTrue(
          log.lines().stream()
              .anyMatch(
                  line ->
                      line.contains("panel_ahead_seconds=6")
                          || line.contains("panel_ahead_seconds=599")),
          log.lines().toString());
    }
    assertEquals(
        2, panel.beats().stream().filter(beat -> !beat.accepted()).count(), "one for each move");
  }

  /** B84. */
  @Test
  void leavesThePanelAloneForAsLongAsItAsks() throws Exception {
    panel.script(Answer.status(503).header("retry-after", "2"));
    deploy(config(Duration.ofMillis(100)), false);
    await(() -> panel.beats().size() >= 2);
    var beats = panel.beats();
    assertTrue(Duration.between(beats.get(0).at(), beats.get(1).at()).toMillis() >= 1950);
  }

  @Test
  void neverHasTwoBeatsUnderWay() throws Exception {
    Duration slow = Duration.ofMillis(600);
    panel.script(
        Answer.status(200).body("{}").after(slow), Answer.status(200).body("{}").after(slow));
    deploy(config(Duration.ofMillis(50)), false);
    await(() -> panel.beats().size() >= 3);
    var beats = panel.beats();
    assertTrue(Duration.between(beats.get(0).at(), beats.get(1).at()).compareTo(slow) >= 0);
    assertTrue(Duration.between(beats.get(1).at(), beats.get(2).at()).compareTo(slow) >= 0);
  }

  @Test
  void givesUpOnAnAnswerThatDoesNotCome() throws Exception {
    panel.script(Answer.status(200).body("{}").after(Duration.ofSeconds(30)));
    try (var log = new CapturedLog("io.incudal.agent.panel")) {
      deploy(config(Duration.ofMillis(100)), false);
      await(() -> panel.beats().size() >= 2);
      assertTrue(log.lines().toString().contains("no answer within 1 s"), log.lines().toString());
    }
  }

  /** A redirect would carry the signature to another place. */
  @Test
  void followsNoRedirect() throws Exception {
    ReferencePanel other = get(ReferencePanel.start(vertx, certificate));
    panel.script(
        Answer.status(307).header("location", other.url() + "/api/agent/heartbeat"),
        Answer.status(302).header("location", other.url() + "/api/agent/heartbeat"));
    deploy(config(Duration.ofMillis(50)), false);
    await(() -> panel.acceptedBeats() >= 1);
    assertEquals(List.of(), other.requests());
    assertEquals("SCRIPTED_307", panel.beats().get(0).problem().orElseThrow());
  }

  @Test
  void readsNoEndlessAnswer() throws Exception {
    panel.script(Answer.status(200).body("{\"x\":\"" + "x".repeat(3 * 1024 * 1024) + "\"}"));
    try (var log = new CapturedLog("io.incudal.agent.panel")) {
      deploy(config(Duration.ofMillis(50)), false);
      await(() -> panel.acceptedBeats() >= 1);
      assertEquals(
          "heartbeat unreachable reason=\"the answer is longer than 1024 KiB\"",
          log.lines().get(0));
    }
  }

  @Test
  void trustsNoCertificateThatNobodyVouchesFor() throws Exception {
    var stranger =
        new PanelConfig(
            URI.create(panel.url()),
            ID,
            new Secret(SECRET),
            Duration.ofSeconds(1),
            Duration.ofSeconds(1),
            Optional.empty(),
            HostConfig.DEFAULT,
            upgrade());
    var result = get(SingleHeartbeat.send(vertx, stranger));
    assertFalse(result.accepted());
    assertTrue(result.summary().contains("TLS"), result.summary());
    assertEquals(List.of(), panel.beats());
  }

  @Test
  void logsEachStateOnceAndNeverTheSecret() throws Exception {
    panel.script(Answer.status(503), Answer.status(503), Answer.status(503));
    try (var log = new CapturedLog("io.incudal.agent.panel")) {
      deploy(config(Duration.ofMillis(50)), false);
      await(() -> panel.acceptedBeats() >= 3);
      panel.disable(ID);
      await(() -> panel.beats().size() >= 10);
      assertEquals(
          List.of(
              "heartbeat refused status=503",
              "heartbeat accepted",
              "heartbeat refused status=401 code=AGENT_DISABLED"),
          log.lines());
      assertFalse(log.lines().toString().contains(SECRET));
    }
  }

  @Test
  void reportsTheBackEndWhenTheAgentApiRuns() throws Exception {
    bus.serve(
        Addresses.LUN_QUERY,
        LunMessages.Query.class,
        query ->
            Future.succeededFuture(
                query instanceof LunMessages.DescribeBackend
                    ? new LunMessages.BackendView(true, true, OptionalInt.of(7), Optional.empty())
                    : new LunMessages.Capabilities(
                        "stgt",
                        true,
                        "scan",
                        "iqn.2024-01.io.incudal",
                        "xfs",
                        "reflink",
                        "sparse")));
    bus.serve(
        Addresses.IMAGE_MASTERS,
        ImageMessages.ListMasters.class,
        query ->
            Future.succeededFuture(
                new ImageMessages.MasterList(List.of(new ImageMessages.Master("a.img", 1, 2)))));
    deploy(config(Duration.ofMillis(100)), true);
    await(() -> panel.acceptedBeats() >= 1);
    JsonObject body = panel.beats().get(0).body();
    assertTrue(body.getJsonArray("capabilities").contains("iscsi"));
    assertEquals(
        new JsonObject(
            "{\"backend\":\"stgt\",\"backendReady\":true,\"targets\":7,\"masters\":1,"
                + "\"fsType\":\"xfs\"}"),
        body.getJsonObject("iscsi"));
  }

  /** B70. */
  @Test
  void reportsABackEndThatIsNotReadyWithoutACountOfTargets() throws Exception {
    deploy(config(Duration.ofMillis(100)), true);
    await(() -> panel.acceptedBeats() >= 1);
    assertEquals(
        new JsonObject("{\"backendReady\":false}"),
        panel.beats().get(0).body().getJsonObject("iscsi"));
  }

  @Test
  void handsOffersOverAndReportsWhatBecameOfThem() throws Exception {
    List<UpgradeMessages.Offer> offers = new CopyOnWriteArrayList<>();
    bus.serve(
        Addresses.UPGRADE_OFFER,
        UpgradeMessages.Offer.class,
        offer -> {
          offers.add(offer);
          return Future.succeededFuture(new UpgradeMessages.Noted());
        });
    bus.serve(
        Addresses.UPGRADE_STATUS,
        UpgradeMessages.ReadStatus.class,
        query ->
            Future.succeededFuture(
                new UpgradeMessages.Status(
                    Optional.of(
                        new UpgradeMessages.Attempt(
                            "failed",
                            "v9.9.9",
                            Optional.of("SHA-256 differs"),
                            Instant.parse("2026-11-30T22:00:00Z"))))));
    panel.offer(
        new JsonObject()
            .put("available", true)
            .put("version", "v9.9.9")
            .put("url", "https://x/y")
            .put("sha256", "ab")
            .put("gzip", true)
            .put("size", 5));
    deploy(config(Duration.ofMillis(100)), false);
    await(() -> !offers.isEmpty());
    assertEquals("v9.9.9", offers.get(0).version());
    assertTrue(offers.get(0).gzip());
    assertEquals(5, offers.get(0).size().orElseThrow());
    assertEquals(
        new JsonObject(
            "{\"phase\":\"failed\",\"version\":\"v9.9.9\",\"reason\":\"SHA-256 differs\","
                + "\"at\":\"2026-11-30T22:00:00Z\"}"),
        panel.beats().get(0).body().getJsonObject("upgradeStatus"));
  }

  /** B97, as far as the heartbeat goes: the answer's offer is not even looked at. */
  @Test
  void sendsASingleBeatAndTellsItsOutcome() throws Exception {
    panel.offer(new JsonObject().put("available", true).put("version", "v9.9.9"));
    assertEquals(
        new SingleHeartbeat.Result(true, "accepted"),
        get(SingleHeartbeat.send(vertx, config(Duration.ofSeconds(30)))));
    panel.disable(ID);
    assertEquals(
        new SingleHeartbeat.Result(false, "refused status=401 code=AGENT_DISABLED"),
        get(SingleHeartbeat.send(vertx, config(Duration.ofSeconds(30)))));
    assertEquals(2, panel.requests().size());
  }

  @Test
  void stopsAtOnceWhileThePanelIsSilent() throws Exception {
    panel.script(Answer.status(200).after(Duration.ofSeconds(60)));
    var patient =
        new PanelConfig(
            URI.create(panel.url()),
            ID,
            new Secret(SECRET),
            Duration.ofSeconds(30),
            Duration.ofSeconds(30),
            Optional.of(certificate.pem()),
            HostConfig.DEFAULT,
            upgrade());
    String deployment = deploy(patient, false);
    await(() -> panel.beats().size() == 1);
    long start = System.nanoTime();
    get(vertx.undeploy(deployment));
    assertTrue(Duration.ofNanos(System.nanoTime() - start).toSeconds() < 3);
  }

  private String deploy(PanelConfig config, boolean node) throws Exception {
    return get(vertx.deployVerticle(new HeartbeatVerticle(config, bus, node)));
  }

  private PanelConfig config(Duration interval) {
    return new PanelConfig(
        URI.create(panel.url()),
        ID,
        new Secret(SECRET),
        interval,
        Duration.ofSeconds(1),
        Optional.of(certificate.pem()),
        HostConfig.DEFAULT,
        upgrade());
  }

  private static UpgradeConfig upgrade() {
    return new UpgradeConfig(
        Duration.ZERO, Duration.ofMinutes(5), Optional.empty(), directory, "incudal-agent");
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
