package io.incudal.agent.lun;

import static io.incudal.agent.lun.LunRoom.failure;
import static io.incudal.agent.lun.LunRoom.iqn;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.incudal.agent.bus.AgentException;
import io.incudal.agent.bus.ErrorCode;
import io.incudal.agent.lab.Lab;
import io.incudal.agent.lab.LabExtension;
import io.incudal.agent.lab.LioLab;
import io.incudal.agent.lun.LunMessages.Scanned;
import io.incudal.agent.lun.LunMessages.TargetView;
import io.incudal.agent.scan.AutoScanVerticle;
import io.vertx.core.Vertx;
import io.vertx.junit5.VertxExtension;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.function.BooleanSupplier;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** The node goes, comes back, and holds what it held, and nobody helps. */
@Tag("lio")
@ExtendWith({VertxExtension.class, LabExtension.class})
class LioRecoveryIT {
  private static final Set<String> BOTH = Set.of(iqn("a"), iqn("b"));

  /** Within it an agent has to notice; restoring itself is slower in the lab than on a node. */
  private static final int IN_TIME_SECONDS = 40;

  private final LioLab lab;
  private Vertx vertx;
  private LunRoom room;

  LioRecoveryIT(Lab lab) {
    this.lab = (LioLab) lab;
  }

  @BeforeEach
  void prepare(Vertx vertx) {
    this.vertx = vertx;
    lab.clear();
    room = new LunRoom(vertx, lab.images()).on(lab).withTimeout(Duration.ofSeconds(10));
  }

  @AfterEach
  void clean() throws IOException {
    room.undeploy().await();
    lab.clear();
    lab.removeImages();
  }

  /** B08: nothing was lost, and nothing is scanned. */
  @Test
  void scansNothingWhenTheContainerWasRestarted() {
    startWithTwoDisks();
    lab.restart();
    within(() -> room.view().ready() && targets().equals(BOTH));
    assertEquals(1, room.audit.count("auto_scan", true));
  }

  @Test
  void scansNothingWhenTheNodeWasRestarted() {
    startWithTwoDisks();
    lab.powerCycle();
    within(() -> room.view().scanned() && targets().equals(BOTH));
    assertEquals(1, room.audit.count("auto_scan", true));
  }

  /** B23: the images are not mounted when the node starts, and another write comes first. */
  @Test
  void bringsAllBackByAScanWhenTheImagesAreMountedLate() throws IOException {
    startWithTwoDisks();
    Path away = Files.createDirectory(lab.images().resolve(".away"));
    for (String name : List.of("a.img", "b.img")) {
      Files.move(lab.images().resolve(name), away.resolve(name));
    }
    lab.powerCycle();
    within(() -> room.view().scanned() && targets().isEmpty());
    room.disk("iqn", iqn("c"), "size", "1M").await();
    for (String name : List.of("a.img", "b.img")) {
      Files.move(away.resolve(name), lab.images().resolve(name));
    }
    Files.delete(away);
    Scanned done = room.scan().await();
    assertEquals(2, done.created().size());
    assertEquals(Set.of(iqn("a"), iqn("b"), iqn("c")), targets());
  }

  /** B24: neither the saved configuration nor its copy can be read. */
  @Test
  void rebuildsFromTheFilesWhenNothingSavedCanBeRead() throws IOException {
    startWithTwoDisks();
    try (Stream<Path> files = Files.list(lab.configuration())) {
      for (Path file : files.filter(Files::isRegularFile).toList()) {
        Files.write(file, new byte[0]);
      }
    }
    lab.powerCycle();
    within(() -> room.view().scanned() && targets().equals(BOTH));
    assertEquals(2, room.audit.count("auto_scan", true));
  }

  /** B15: a disk that was deleted with its file never comes back. */
  @Test
  void bringsNothingBackThatWasDeleted() {
    startWithTwoDisks();
    room.delete("iqn", iqn("a"), "delete_file", "true").await();
    lab.powerCycle();
    within(() -> room.view().scanned() && targets().equals(Set.of(iqn("b"))));
    room.scan().await();
    assertEquals(Set.of(iqn("b")), targets());
  }

  /** B15: the target is gone, and its file is still there. */
  @Test
  void removesTheFileOfATargetThatWasRemovedByHand() {
    startWithTwoDisks();
    lab.exec("targetcli", "/iscsi", "delete", iqn("a")).orFail();
    AgentException gone = failure(room.delete("iqn", iqn("a"), "delete_file", "true"));
    assertEquals(ErrorCode.TARGET_NOT_FOUND, gone.code());
    assertEquals(
        lab.images().resolve("a.img").toString(), String.valueOf(gone.members().get("backing")));
    room.delete("iqn", iqn("a"), "delete_file", "true", "force", "true").await();
    assertEquals(List.of("b.img"), room.files());
  }

  /** B18: somebody has targetcli's lock. */
  @Test
  void rollsADiskBackThatCannotBeSaved() {
    startWithTwoDisks();
    lab.exec("sh", "-c", "flock /var/run/targetcli.lock sleep 12 >/dev/null 2>&1 &").orFail();
    AgentException failure = failure(room.disk("iqn", iqn("c"), "size", "1M"));
    assertEquals(ErrorCode.BACKEND_UNAVAILABLE, failure.code());
    assertTrue(failure.getMessage().contains("targetcli.lock"), failure.getMessage());
    assertEquals(List.of("a.img", "b.img"), room.files());
    assertEquals(BOTH, targets());
    assertEquals(1, room.audit.count("disk", false));
    within(
        () -> {
          try {
            room.disk("iqn", iqn("c"), "size", "1M").await();
            return true;
          } catch (AgentException stillHeld) {
            return false;
          }
        });
  }

  /** B29, B30: many disks at once, and no ISO among them. */
  @Test
  void scansDisksAndSkipsIsos() {
    start();
    IntStream.range(0, 20).forEach(i -> room.file("d" + i + ".img", 512));
    room.file("setup.iso", 2048);
    Scanned done = room.scan().await();
    assertEquals(20, done.created().size());
    assertEquals(List.of(iqn("setup.iso")), done.skipped());
    assertEquals(20, targets().size());
    assertEquals(ErrorCode.CD_UNSUPPORTED, failure(room.cd("iso", "setup.iso")).code());
  }

  private void startWithTwoDisks() {
    start();
    room.disk("iqn", iqn("a"), "size", "1M").await();
    room.disk("iqn", iqn("b"), "size", "1M").await();
    assertEquals(BOTH, targets());
  }

  private void start() {
    room.deploy();
    vertx.deployVerticle(new AutoScanVerticle(room.bus)).await();
    within(() -> room.view().scanned());
  }

  private Set<String> targets() {
    return room.list().await().targets().stream().map(TargetView::iqn).collect(Collectors.toSet());
  }

  private static void within(BooleanSupplier condition) {
    long end = System.nanoTime() + IN_TIME_SECONDS * 1_000_000_000L;
    while (!holds(condition)) {
      assertTrue(System.nanoTime() < end, "not within " + IN_TIME_SECONDS + " s");
      try {
        Thread.sleep(100);
      } catch (InterruptedException stop) {
        throw new IllegalStateException(stop);
      }
    }
  }

  private static boolean holds(BooleanSupplier condition) {
    try {
      return condition.getAsBoolean();
    } catch (AgentException notYet) {
      return false;
    }
  }
}
