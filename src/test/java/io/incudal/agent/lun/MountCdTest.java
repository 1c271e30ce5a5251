package io.incudal.agent.lun;

import static io.incudal.agent.lun.LunRoom.failure;
import static io.incudal.agent.lun.LunRoom.iqn;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.incudal.agent.bus.ErrorCode;
import io.incudal.agent.lun.LunMessages.Exported;
import io.vertx.core.Vertx;
import io.vertx.junit5.VertxExtension;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

@ExtendWith(VertxExtension.class)
class MountCdTest {
  private LunRoom room;

  @BeforeEach
  void open(Vertx vertx, @TempDir Path images) {
    room = new LunRoom(vertx, images).open();
    room.audit.lines.clear();
  }

  @Test
  void exportsAnIsoUnderItsOwnName() {
    Path file = room.file("Worker-01.Windows.iso", 4096);
    Exported cd = room.cd("iso", "Worker-01.Windows.iso").await();
    assertEquals(new Exported(iqn("worker-01.windows.iso"), file.toString()), cd);
    assertEquals("{1=" + file + "} open cd", room.tgtd.describe(cd.iqn()));
    assertEquals(List.of("iso", "iqn"), List.copyOf(room.audit.lines.get(0).req().keySet()));
  }

  @Test
  void asksForAnIqnWhenTheNameMakesNone() {
    room.file("Win10_22H2.iso", 4096);
    var failure = failure(room.cd("iso", "Win10_22H2.iso"));
    assertEquals(ErrorCode.INVALID_IQN, failure.code());
    assertTrue(failure.getMessage().contains("pass 'iqn'"));
    room.cd("iso", "Win10_22H2.iso", "iqn", iqn("win10")).await();
    assertEquals(List.of(iqn("win10")), room.names());
  }

  @Test
  void saysWhatIsWrong() {
    room.file("empty.iso", 0);
    room.file("x.iso", 4096);
    room.cd("iso", "x.iso").await();
    assertEquals(ErrorCode.MISSING_FIELD, failure(room.cd("iqn", iqn("a"))).code());
    assertEquals(ErrorCode.INVALID_FILENAME, failure(room.cd("iso", "x.img")).code());
    assertEquals(ErrorCode.INVALID_FILENAME, failure(room.cd("iso", "../x.iso")).code());
    assertEquals(ErrorCode.ISO_NOT_FOUND, failure(room.cd("iso", "X.iso")).code());
    assertEquals(ErrorCode.ISO_NOT_FOUND, failure(room.cd("iso", "empty.iso")).code());
    assertEquals(ErrorCode.TARGET_EXISTS, failure(room.cd("iso", "x.iso")).code());
    assertEquals(
        ErrorCode.IQN_BASE_MISMATCH, failure(room.cd("iso", "x.iso", "iqn", "iqn.x:y")).code());
    assertEquals(7, room.audit.count("cd", false));
  }

  @Test
  void refusesOnABackEndWithoutCdsBeforeAnythingElse(Vertx vertx) {
    room.undeploy().await();
    room.asLio().open();
    var failure = failure(room.cd("iso", 7));
    assertEquals(ErrorCode.CD_UNSUPPORTED, failure.code());
    assertEquals("lio backend does not support cd", failure.getMessage());
  }

  @Test
  void comesBackUnderTheIqnsThatItWasMountedWith() {
    room.file("x.iso", 4096);
    room.cd("iso", "x.iso", "iqn", iqn("one")).await();
    room.cd("iso", "x.iso", "iqn", iqn("two")).await();
    restart();
    assertEquals(List.of(iqn("one"), iqn("two")), sorted());
    room.delete("iqn", iqn("one")).await();
    restart();
    assertEquals(List.of(iqn("two")), sorted());
    room.delete("iqn", iqn("two")).await();
    restart();
    assertEquals(List.of(iqn("x.iso")), sorted());
  }

  @Test
  void comesBackUnderItsOwnNameBesideOthers() {
    room.file("x.iso", 4096);
    room.cd("iso", "x.iso").await();
    room.cd("iso", "x.iso", "iqn", iqn("one")).await();
    restart();
    assertEquals(List.of(iqn("one"), iqn("x.iso")), sorted());
    room.file("y.iso", 4096);
    room.cd("iso", "y.iso", "iqn", iqn("other")).await();
    room.cd("iso", "y.iso").await();
    restart();
    assertEquals(List.of(iqn("one"), iqn("other"), iqn("x.iso"), iqn("y.iso")), sorted());
  }

  @Test
  void forgetsTheIqnOfAMountThatFailed() {
    room.file("x.iso", 4096);
    room.tgtd.answer("logicalunit", 22, "tgtadm: out of memory\n");
    assertEquals(
        ErrorCode.COMMAND_FAILED, failure(room.cd("iso", "x.iso", "iqn", iqn("one"))).code());
    restart();
    assertEquals(List.of(iqn("x.iso")), sorted());
  }

  private void restart() {
    room.tgtd.restartDaemon();
    room.bringBack();
  }

  private List<String> sorted() {
    return room.names().stream().sorted().toList();
  }
}
