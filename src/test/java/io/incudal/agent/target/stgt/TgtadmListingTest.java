package io.incudal.agent.target.stgt;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.incudal.agent.target.Lun;
import io.incudal.agent.target.Target;
import io.incudal.agent.target.stgt.TgtadmListing.Session;
import io.incudal.agent.target.stgt.TgtadmListing.Shown;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import org.junit.jupiter.api.Test;

class TgtadmListingTest {
  private static final Lun CONTROLLER = new Lun(0, Optional.empty());

  @Test
  void readsNothingAsNoTargets() {
    assertEquals(List.of(), TgtadmListing.targets(captured("show-empty.txt")));
  }

  @Test
  void readsOneDisk() {
    var disk =
        new Target(
            OptionalInt.of(1),
            "iqn.2026-07.com.controller:worker-01",
            List.of(CONTROLLER, lun(1, "/home/iscsi_img/worker-01.img")));
    assertEquals(
        List.of(new Shown(disk, true)), TgtadmListing.targets(captured("show-one-disk.txt")));
  }

  @Test
  void readsOddPathsAndForeignNamesAsTheyAre() {
    Target foreign = mixed().get(2).target();
    assertEquals("IQN.2020-01.org.Other:Mixed-Case", foreign.iqn());
    assertEquals(
        List.of(
            CONTROLLER,
            lun(1, "/home/iscsi_img/worker-02.Ubuntu.img"),
            lun(2, "/home/iscsi_img/a b'x\".img"),
            lun(7, "/home/iscsi_img/é.img")),
        foreign.luns());
  }

  @Test
  void tellsTargetsThatNobodyMayLogInTo() {
    assertEquals(
        List.of(true, true, true, false, false), mixed().stream().map(Shown::bound).toList());
  }

  @Test
  void readsATargetWithoutADisk() {
    assertEquals(List.of(CONTROLLER), mixed().get(3).target().luns());
  }

  @Test
  void readsTheTidsAsPrinted() {
    assertEquals(List.of(1, 2, 5, 9, 10), mixed().stream().map(Shown::tid).toList());
  }

  @Test
  void refusesAListingCutAtAnyLine() {
    String whole = captured("show-one-disk.txt");
    int acl = whole.indexOf("    ACL information:");
    for (int end = whole.indexOf('\n') + 1; end <= acl; end = whole.indexOf('\n', end) + 1) {
      String cut = whole.substring(0, end);
      assertThrows(IllegalArgumentException.class, () -> TgtadmListing.targets(cut), cut);
    }
  }

  @Test
  void refusesALineCutInTheMiddle() {
    String whole = captured("show-one-disk.txt");
    String cut = whole.substring(0, whole.length() - 3);
    assertThrows(IllegalArgumentException.class, () -> TgtadmListing.targets(cut));
  }

  @Test
  void refusesATextThatIsNoListing() {
    assertThrows(
        IllegalArgumentException.class,
        () -> TgtadmListing.targets("tgtadm: can't find the driver\n"));
    assertThrows(
        IllegalArgumentException.class, () -> TgtadmListing.targets("Target x: iqn.a:b\n"));
    assertThrows(
        IllegalArgumentException.class,
        () -> TgtadmListing.targets("            Backing store path: /a\n"));
  }

  @Test
  void readsTheSessionsOfATarget() {
    assertEquals(
        List.of(
            new Session(7, 0, "iqn.2026-07.com.host:boot02", "127.0.0.1"),
            new Session(6, 0, "iqn.2026-07.com.host:boot01", "127.0.0.1")),
        TgtadmListing.sessions(captured("conn-two-initiators.txt")));
    assertTrue(TgtadmListing.sessions("").isEmpty());
  }

  private static List<Shown> mixed() {
    return TgtadmListing.targets(captured("show-mixed.txt"));
  }

  private static Lun lun(int number, String path) {
    return new Lun(number, Optional.of(path));
  }

  private static String captured(String name) {
    try (var in = TgtadmListingTest.class.getResourceAsStream("/stgt/" + name)) {
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
