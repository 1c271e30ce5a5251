package io.incudal.agent.lab;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** What the other tests rely on: that the lab does what it says, on the daemon itself. */
@ExtendWith(LabExtension.class)
class StgtLabIT {
  private static final int SIZE = 1 << 20;

  private final Lab lab;

  StgtLabIT(Lab lab) {
    this.lab = lab;
  }

  @Test
  void initiatorReadsAndWritesWhatTheFileHolds() throws IOException {
    byte[] content = new byte[SIZE];
    new Random(1).nextBytes(content);
    Path file = Files.write(lab.images().resolve("data.img"), content);
    export(1, "iqn.2026-01.test:data", file);

    assertEquals(List.of("iqn.2026-01.test:data"), lab.initiator().discover());
    try (IscsiSession session = lab.initiator().login("iqn.2026-01.test:data")) {
      assertEquals(0, session.deviceType(lab.diskLun()));
      assertEquals(SIZE, session.capacity(lab.diskLun()));
      assertArrayEquals(content, session.read(lab.diskLun(), 0, SIZE));
      byte[] written = Arrays.copyOf(content, 16384);
      session.write(lab.diskLun(), 65536, written);
      assertArrayEquals(written, session.read(lab.diskLun(), 65536, written.length));
    }
    delete(1);
  }

  @Test
  void heldSessionKeepsTargetInUseUntilItIsCut() throws Exception {
    Path file = Files.write(lab.images().resolve("held.img"), new byte[SIZE]);
    export(2, "iqn.2026-01.test:held", file);
    try (IscsiSession session = lab.initiator().login("iqn.2026-01.test:held")) {
      assertFalse(tgtadm("target", "delete", 2).ok());
      assertTrue(tgtadm("target", "delete", 2, "--force").ok());
      session.ended().get(5, TimeUnit.SECONDS);
      assertThrows(IOException.class, () -> session.capacity(1));
    }
    export(4, "iqn.2026-01.test:other", file);
    var refused =
        assertThrows(
            Initiator.LoginRefused.class, () -> lab.initiator().login("iqn.2026-01.test:held"));
    assertEquals(0x0203, refused.status());
    delete(4);
  }

  @Test
  void daemonAndContainerComeAndGoOnDemand() throws IOException {
    Path file = Files.write(lab.images().resolve("gone.img"), new byte[SIZE]);
    export(3, "iqn.2026-01.test:gone", file);
    lab.stopDaemon();
    assertEquals(107, tgtadm("target", "show", 3).exitCode());
    lab.startDaemon();
    assertEquals(List.of(), lab.initiator().discover());
    export(3, "iqn.2026-01.test:gone", file);
    lab.restart();
    assertEquals(List.of(), lab.initiator().discover());
    lab.pause();
    assertFalse(lab.exec("true").ok());
    lab.unpause();
    assertTrue(lab.exec("true").ok());
  }

  private void export(int tid, String iqn, Path file) {
    tgtadm("target", "new", tid, "-T", iqn).orFail();
    tgtadm("logicalunit", "new", tid, "--lun", "1", "-b", file.toString()).orFail();
    tgtadm("target", "bind", tid, "-I", "ALL").orFail();
  }

  private void delete(int tid) {
    tgtadm("target", "delete", tid).orFail();
  }

  private Cli.Output tgtadm(String mode, String operation, int tid, String... more) {
    String[] fixed = {"tgtadm", "--lld", "iscsi", "--mode", mode, "--op", operation, "--tid"};
    String[] all = Arrays.copyOf(fixed, fixed.length + 1 + more.length);
    all[fixed.length] = Integer.toString(tid);
    System.arraycopy(more, 0, all, fixed.length + 1, more.length);
    return lab.exec(all);
  }
}
