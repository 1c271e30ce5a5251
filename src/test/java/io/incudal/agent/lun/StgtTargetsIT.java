package io.incudal.agent.lun;

import static io.incudal.agent.lun.LunRoom.failure;
import static io.incudal.agent.lun.LunRoom.iqn;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.incudal.agent.bus.ErrorCode;
import io.incudal.agent.lab.IscsiSession;
import io.incudal.agent.lab.Lab;
import io.incudal.agent.lab.LabExtension;
import io.incudal.agent.lun.LunMessages.Exported;
import io.incudal.agent.lun.LunMessages.Scanned;
import io.incudal.agent.lun.LunMessages.TargetView;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.junit5.VertxExtension;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** The use cases on a real tgtd, through real sessions into its container, with real logins. */
@ExtendWith({VertxExtension.class, LabExtension.class})
class StgtTargetsIT {
  private static final int SIZE = 1 << 20;

  private final Lab lab;
  private LunRoom room;

  StgtTargetsIT(Lab lab) {
    this.lab = lab;
  }

  @BeforeEach
  void open(Vertx vertx) {
    room = new LunRoom(vertx, lab.images()).on(lab).open();
    room.audit.lines.clear();
  }

  @AfterEach
  void clean() throws IOException {
    room.removeTargets();
    lab.removeImages();
    room.undeploy().await();
  }

  @Test
  void isoIsACdThatNobodyWritesTo() throws IOException {
    byte[] content = new byte[SIZE];
    new Random(8).nextBytes(content);
    Path iso = Files.write(lab.images().resolve("Debian.iso"), content);
    Files.setPosixFilePermissions(iso, PosixFilePermissions.fromString("r--r--r--"));
    Exported cd = room.cd("iso", "Debian.iso").await();
    try (IscsiSession session = lab.initiator().login(cd.iqn())) {
      assertEquals(5, session.deviceType(1));
      assertArrayEquals(content, session.read(1, 0, SIZE));
      assertThrows(IOException.class, () -> session.write(1, 0, new byte[2048]));
    }
    assertArrayEquals(content, Files.readAllBytes(iso));
  }

  /** B12: one ISO under two names. */
  @Test
  void keepsAnIsoThatAnotherCdShows() throws IOException {
    Files.write(lab.images().resolve("x.iso"), new byte[SIZE]);
    room.cd("iso", "x.iso").await();
    room.cd("iso", "x.iso", "iqn", iqn("second")).await();
    var failure = failure(room.delete("iqn", iqn("x.iso"), "delete_file", "true"));
    assertEquals(ErrorCode.BACKING_IN_USE, failure.code());
    room.delete("iqn", iqn("x.iso")).await();
    try (IscsiSession session = lab.initiator().login(iqn("second"))) {
      assertEquals(SIZE, session.read(1, 0, SIZE).length);
    }
  }

  /** B10: names, numbers and files stay together. */
  @Test
  void givesEachOfManyDisksItsOwnNumberAndFile() {
    List<Future<Exported>> all = new ArrayList<>();
    for (int i = 0; i < 20; i++) {
      all.add(room.disk("iqn", iqn("d" + i), "size", "1M"));
    }
    Future.all(all).await();
    for (int i = 5; i < 15; i++) {
      room.delete("iqn", iqn("d" + i), "delete_file", "true").await();
    }
    for (int i = 5; i < 15; i++) {
      room.disk("iqn", iqn("d" + i), "size", "1M").await();
    }
    List<TargetView> targets = room.list().await().targets();
    assertEquals(20, new HashSet<>(targets.stream().map(TargetView::tid).toList()).size());
    for (TargetView target : targets) {
      String suffix = target.iqn().substring(LunRoom.BASE.length() + 1);
      String file = lab.images().resolve(suffix + ".img").toString();
      assertEquals(file, target.luns().get(1).backing().orElseThrow());
    }
  }

  /** B05, and every name that a tool might stumble over. */
  @Test
  void scansFilesOfAnyName() throws IOException {
    List<String> odd = List.of("a'b", "a\"b", "$(id)", "`id`", "a;b", "a\\b", "a%sb", "é", "a=b");
    for (String name : odd) {
      room.file(name + ".img", 512);
      room.file(name + ".iso", 2048);
    }
    room.file("plain-1.img", 512);
    Scanned done = room.scan().await();
    assertEquals(List.of(new Scanned.Created(iqn("plain-1"), false)), done.created());
    assertEquals(2 * odd.size(), done.failed().size());
    for (int i = 0; i < odd.size(); i++) {
      String file = odd.get(i) + ".iso";
      Exported cd = room.cd("iso", file, "iqn", iqn("odd" + i)).await();
      assertEquals(lab.images().resolve(file).toString(), cd.backing());
    }
    List<String> shown =
        room.list().await().targets().stream()
            .map(target -> target.luns().get(1).backing().orElseThrow())
            .toList();
    for (String name : odd) {
      assertTrue(shown.contains(lab.images().resolve(name + ".iso").toString()), name);
    }
    assertEquals(odd.size(), room.scan().await().skipped().size() - 1);
  }
}
