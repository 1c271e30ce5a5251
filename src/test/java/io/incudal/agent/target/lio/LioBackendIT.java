package io.incudal.agent.target.lio;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.incudal.agent.bus.AgentException;
import io.incudal.agent.bus.ErrorCode;
import io.incudal.agent.lab.Cli;
import io.incudal.agent.lab.Initiator;
import io.incudal.agent.lab.IscsiSession;
import io.incudal.agent.lab.Lab;
import io.incudal.agent.lab.LabExtension;
import io.incudal.agent.lab.LioLab;
import io.vertx.core.Future;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** The back end on a real kernel, beside {@code targetcli} itself. */
@Tag("lio")
@ExtendWith(LabExtension.class)
class LioBackendIT {
  private static final String SAVED = "/etc/rtslib-fb-target/saveconfig.json";

  private static final String KILL =
      "for p in /proc/[0-9]*; do read -r name 2>/dev/null <$p/comm || continue;"
          + " [ \"$name\" != %s ] || kill -9 \"${p#/proc/}\"; done";

  private final LioLab lab;
  private LioNode node;

  LioBackendIT(Lab lab) {
    this.lab = (LioLab) lab;
  }

  @BeforeEach
  void open() {
    lab.clear();
    node = LioNode.opened(lab);
  }

  @AfterEach
  void close() {
    node.close();
  }

  @Test
  void makesWhatTargetcliMakes() {
    node.export("ours");
    Path theirs = node.image("them", 1);
    targetcli("/backstores/fileio", "create", "name=them", "file_or_dev=" + theirs);
    targetcli("/iscsi", "create", LioNode.iqn("them").value());
    String tpg = "/iscsi/" + LioNode.iqn("them") + "/tpg1";
    targetcli(tpg + "/luns", "create", "/backstores/fileio/them");
    targetcli(tpg, "set", "attribute", "generate_node_acls=1", "demo_mode_write_protect=0");

    String tree = targetcli("ls");
    assertEquals(normal(linesOf(tree, "them")), normal(linesOf(tree, "ours")));
    targetcli("saveconfig");
    JsonObject saved = saved();
    assertEquals(
        normal(entry(saved, "storage_objects", "name", "them")),
        normal(entry(saved, "storage_objects", "name", "ours")));
    assertEquals(
        normal(entry(saved, "targets", "wwn", LioNode.iqn("them").value())),
        normal(entry(saved, "targets", "wwn", LioNode.iqn("ours").value())));
  }

  @Test
  void savesWhatTargetcliWouldSave() {
    Future.all(node.beginExport("one"), node.beginExport("two"), node.beginExport("three")).await();
    node.unexport("two");
    JsonObject ours = sorted(saved());
    targetcli("saveconfig");
    assertEquals(sorted(saved()).encodePrettily(), ours.encodePrettily());
    assertEquals(2, ours.getJsonArray("targets").size());
  }

  @Test
  void initiatorReadsAndWritesTheImage() throws IOException {
    Path image = node.image("data", 1);
    byte[] content = new byte[1 << 20];
    new Random(1).nextBytes(content);
    Files.write(image, content);
    node.export("data");
    try (IscsiSession session = lab.initiator().login(LioNode.iqn("data").value())) {
      assertEquals(content.length, session.capacity(0));
      assertArrayEquals(content, session.read(0, 0, content.length));
      byte[] written = new byte[8192];
      session.write(0, 4096, written);
      assertArrayEquals(written, session.read(0, 4096, written.length));
    }
  }

  /** B03: LIO cuts sessions without a word, so nothing is removed while somebody is logged in. */
  @Test
  void neverCutsASessionUnasked() throws Exception {
    node.export("held");
    try (IscsiSession session = lab.initiator().login(LioNode.iqn("held").value())) {
      AgentException failure = node.refusedUnexport("held");
      assertEquals(ErrorCode.TARGET_IN_USE, failure.code());
      assertEquals(List.of(Initiator.NAME), failure.members().get("initiators"));
      assertEquals(1 << 20, session.capacity(0));
      try (IscsiSession other = lab.initiator().login(LioNode.iqn("held").value())) {
        assertEquals(1 << 20, other.capacity(0));
      }
      node.cut("held");
      session.ended().get(5, TimeUnit.SECONDS);
    }
    assertEquals(List.of(), node.names());
    assertEquals(List.of(), backstores());
    assertThrows(IOException.class, () -> lab.initiator().login(LioNode.iqn("held").value()));
  }

  /** B31, and the listing of targetcli. */
  @Test
  void listsWhatTargetcliLists() {
    node.export("a");
    Path image = node.image("hand", 1);
    targetcli("/backstores/fileio", "create", "name=hand", "file_or_dev=" + image);
    targetcli("/iscsi", "create", "iqn.2020-01.org.other:hand");
    targetcli("/iscsi/iqn.2020-01.org.other:hand/tpg1/luns", "create", "/backstores/fileio/hand");
    List<String> listed =
        node.list().stream().map(target -> target.iqn() + target.luns()).sorted().toList();
    assertEquals(2, listed.size());
    String tree = targetcli("ls", "/iscsi");
    node.list()
        .forEach(
            target -> {
              assertTrue(tree.contains("o- " + target.iqn() + " "), tree);
              assertEquals(0, target.luns().get(0).number());
              assertTrue(tree.contains("(" + target.luns().get(0).backing().orElseThrow() + ")"));
            });
  }

  /** B19: the kernel lets one have a backstore's number, and the other takes the next. */
  @Test
  void makesManyAtTheSameTime() {
    List<Future<Void>> all = new ArrayList<>();
    for (int i = 0; i < 16; i++) {
      all.add(node.beginExport("p" + i));
    }
    Future.all(all).await();
    assertEquals(16, node.names().size());
    assertEquals(16, saved().getJsonArray("targets").size());
    List<Future<Void>> gone = new ArrayList<>();
    for (int i = 0; i < 16; i++) {
      gone.add(node.beginUnexport("p" + i));
    }
    Future.all(gone).await();
    assertEquals(List.of(), node.names());
    assertEquals(0, saved().getJsonArray("targets").size());
    assertEquals(List.of(), backstores());
  }

  /** B22. */
  @Test
  void takesTheWriteCacheFromTheSetting() {
    node.export("cached");
    try (var careful = new LioNode(lab, Duration.ofSeconds(30), false)) {
      careful.open();
      careful.export("through");
    }
    String tree = targetcli("ls", "/backstores/fileio");
    assertTrue(linesOf(tree, "cached").get(0).contains("write-back activated"), tree);
    assertTrue(linesOf(tree, "through").get(0).contains("write-thru activated"), tree);
  }

  /** B14: backstore or target removed by hand. */
  @Test
  void cleansUpBehindWhatWasRemovedByHand() {
    node.export("a");
    targetcli("/backstores/fileio", "delete", "a");
    node.unexport("a");
    assertEquals(List.of(), node.names());

    node.export("b");
    targetcli("/iscsi", "delete", LioNode.iqn("b").value());
    assertEquals(ErrorCode.TARGET_NOT_FOUND, node.refusedUnexport("b").code());
    assertEquals(List.of(), backstores());
    node.export("b");
    assertEquals(List.of(LioNode.iqn("b").value()), node.names());
  }

  @Test
  void takesAnotherNameForTheBackstoreWhenSomebodyHasIt() {
    Path image = node.image("theirs", 1);
    targetcli("/backstores/fileio", "create", "name=a", "file_or_dev=" + image);
    node.export("a");
    assertEquals(List.of("a", "a-2"), backstores());
    node.unexport("a");
    assertEquals(List.of("a"), backstores());
  }

  /** B16: the image is there for the agent and not for the container. */
  @Test
  void leavesNothingBehindWhenTheImageIsNotThere() throws IOException {
    Path image = node.image("gone", 1);
    Files.delete(image);
    Files.createSymbolicLink(image, Path.of("/nowhere"));
    assertThrows(RuntimeException.class, () -> node.export("gone"));
    Files.delete(image);
    assertEquals(List.of(), node.names());
    assertEquals(List.of(), backstores());
  }

  /** B18: a forgotten interactive targetcli has the lock. */
  @Test
  void namesWhoHoldsTheLockAndUndoes() {
    try (var hasty = new LioNode(lab, Duration.ofSeconds(6), true)) {
      hasty.open();
      lab.exec("sh", "-c", "sleep 60 | targetcli >/dev/null 2>&1 &").orFail();
      awaitLock();
      AgentException failure = hasty.refusedExport("late");
      assertEquals(ErrorCode.BACKEND_UNAVAILABLE, failure.code());
      assertTrue(
          failure.getMessage().contains("targetcli.lock is held by process"), failure::getMessage);
      assertEquals(List.of(), hasty.names());
      assertEquals(List.of(), backstores());
      lab.exec("sh", "-c", KILL.formatted("targetcli")).orFail();
      hasty.export("late");
      assertEquals(List.of(LioNode.iqn("late").value()), hasty.names());
    }
  }

  /** The agent holds the lock for a moment only, never while it is idle. */
  @Test
  void neverShutsAnOperatorOut() {
    node.export("a");
    assertTrue(lab.exec("timeout", "5", "flock", "/var/run/targetcli.lock", "true").ok());
    List<Future<Void>> all = new ArrayList<>();
    for (int i = 0; i < 16; i++) {
      all.add(node.beginExport("o" + i));
    }
    assertTrue(lab.exec("timeout", "5", "flock", "/var/run/targetcli.lock", "true").ok());
    Future.all(all).await();
  }

  /** B26: one target listens on one address only, so that no other can listen on all. */
  @Test
  void takesThePortalOfOthersWhenAllAddressesCannotBeHad() {
    String other = "/iscsi/iqn.2020-01.org.other:fixed/tpg1/portals";
    targetcli("/iscsi", "create", "iqn.2020-01.org.other:fixed");
    targetcli(other, "delete", "0.0.0.0", "3260");
    targetcli(other, "create", "127.0.0.1", "3260");
    node.export("a");
    node.export("b");
    String tree = targetcli("ls", "/iscsi/" + LioNode.iqn("b"));
    assertTrue(tree.contains("127.0.0.1:3260"), tree);
    assertFalse(tree.contains("0.0.0.0:3260"), tree);
  }

  /** B27: a node without IPv6, whose targetcli would listen on its wildcard. */
  @Test
  void listensOnIpv4() throws IOException {
    String switchOff = "f=/proc/sys/net/ipv6/conf/all/disable_ipv6; [ ! -e $f ] || echo 1 >$f";
    lab.exec("sh", "-c", switchOff).orFail();
    node.export("a");
    String tree = targetcli("ls", "/iscsi/" + LioNode.iqn("a"));
    assertTrue(tree.contains("o- 0.0.0.0:3260 "), tree);
    try (IscsiSession session = lab.initiator().login(LioNode.iqn("a").value())) {
      assertEquals(1 << 20, session.capacity(0));
    }
  }

  /** B26, B27: a target without a portal is none. */
  @Test
  void leavesNothingBehindWhenNoPortalCanBeHad() throws Exception {
    lab.exec("sh", "-c", "socat TCP-LISTEN:3260,reuseaddr - </dev/null >/dev/null 2>&1 &").orFail();
    Thread.sleep(500);
    AgentException failure = node.refusedExport("a");
    assertEquals(ErrorCode.COMMAND_FAILED, failure.code());
    assertTrue(failure.getMessage().contains("no portal can be had"), failure::getMessage);
    assertEquals(List.of(), node.names());
    assertEquals(List.of(), backstores());
    lab.exec("sh", "-c", KILL.formatted("socat")).orFail();
    node.export("a");
  }

  /** B28: in the container that is; there it is a mount. */
  @Test
  void makesTheDirectoryOfTheSavedConfiguration() {
    lab.exec("umount", "/etc/rtslib-fb-target").orFail();
    lab.exec("rm", "-rf", "/etc/rtslib-fb-target").orFail();
    node.export("a");
    String text = lab.exec("cat", SAVED).orFail();
    assertTrue(text.contains(LioNode.iqn("a").value()));
    lab.restart();
  }

  /** B08. */
  @Test
  void losesNothingWhenTheContainerIsRestarted() {
    node.export("a");
    node.export("b");
    lab.restart();
    assertFalse(node.alive());
    assertEquals(2, node.names().size());
    assertFalse(node.open());
    assertTrue(node.alive());
    assertEquals(2, node.names().size());
  }

  @Test
  void bringsAllBackAfterAPowerCut() throws IOException {
    node.export("a");
    node.export("b");
    JsonObject before = sorted(saved());
    try (IscsiSession session = lab.initiator().login(LioNode.iqn("a").value())) {
      session.write(0, 0, new byte[8192]);
    }
    lab.powerCycle();
    assertFalse(node.alive());
    assertFalse(node.open());
    assertEquals(2, node.names().size());
    targetcli("saveconfig");
    assertEquals(before.encodePrettily(), sorted(saved()).encodePrettily());
    try (IscsiSession session = lab.initiator().login(LioNode.iqn("a").value())) {
      assertEquals(1 << 20, session.capacity(0));
    }
  }

  /** B23: the images are not mounted when the node starts, and another write comes first. */
  @Test
  void keepsSavedTargetsUntilTheirImagesAreThere() throws IOException {
    Path a = node.export("a");
    Path b = node.export("b");
    Path away = Files.createDirectory(lab.images().resolve("away"));
    Files.move(a, away.resolve("a"));
    Files.move(b, away.resolve("b"));
    lab.powerCycle();
    assertFalse(node.open());
    node.export("c");
    node.unexport("c");
    assertEquals(List.of(), node.names());
    assertEquals(2, saved().getJsonArray("targets").size());
    assertFalse(Files.exists(a), "an empty image was made");
    Files.move(away.resolve("a"), a);
    Files.move(away.resolve("b"), b);
    assertFalse(node.open());
    assertEquals(2, node.names().size());
  }

  /** B24: a power cut left an empty file. */
  @Test
  void restoresTheCopyOfATornConfiguration() throws IOException {
    node.export("a");
    Files.write(lab.configuration().resolve("saveconfig.json"), new byte[0]);
    lab.powerCycle();
    assertFalse(node.open());
    assertEquals(1, node.names().size());
    assertEquals(1, saved().getJsonArray("targets").size());
  }

  /** B24: while the kernel goes on, it is what counts. */
  @Test
  void savesAnewWhatTheKernelHasWhenNothingCanBeRead() throws IOException {
    node.export("a");
    tearAll();
    assertFalse(node.open());
    assertEquals(1, saved().getJsonArray("targets").size());
  }

  /** B24: only then the scan is the last resort. */
  @Test
  void needsAScanWhenNothingCanBeRead() throws IOException {
    node.export("a");
    tearAll();
    lab.powerCycle();
    assertTrue(node.open());
    node.export("a");
    assertEquals(1, saved().getJsonArray("targets").size());
  }

  @Test
  void putsInOrderWhatAKilledAgentLeft() {
    node.export("whole");
    targetcli("/iscsi", "create", LioNode.iqn("begun").value());
    Path image = node.image("lost", 1);
    targetcli("/backstores/fileio", "create", "name=lost", "file_or_dev=" + image);
    lab.exec(
            "sh",
            "-c",
            "echo 0 >/sys/kernel/config/target/iscsi/"
                + LioNode.iqn("whole")
                + "/tpgt_1/attrib/generate_node_acls")
        .orFail();
    assertFalse(node.open());
    assertEquals(List.of(LioNode.iqn("whole").value()), node.names());
    assertEquals(List.of("whole"), backstores());
    try (IscsiSession session = lab.initiator().login(LioNode.iqn("whole").value())) {
      assertEquals(1 << 20, session.capacity(0));
    } catch (IOException refused) {
      throw new AssertionError(refused);
    }
  }

  private void tearAll() throws IOException {
    try (Stream<Path> files = Files.list(lab.configuration())) {
      for (Path file : files.filter(Files::isRegularFile).toList()) {
        Files.writeString(file, "{");
      }
    }
  }

  private void awaitLock() {
    for (int i = 0; i < 50; i++) {
      Cli.Output free = lab.exec("flock", "-n", "/var/run/targetcli.lock", "true");
      if (!free.ok()) {
        return;
      }
    }
    throw new IllegalStateException("targetcli does not take its lock");
  }

  private String targetcli(String... words) {
    String[] command =
        Stream.concat(Stream.of("targetcli"), Stream.of(words)).toArray(String[]::new);
    return lab.exec(command).orFail();
  }

  private List<String> backstores() {
    String all =
        lab.exec("sh", "-c", "cd /sys/kernel/config/target/core; echo */*/udev_path").orFail();
    return Stream.of(all.split(" "))
        .filter(path -> !path.startsWith("*"))
        .map(path -> path.split("/")[1])
        .sorted()
        .toList();
  }

  private JsonObject saved() {
    return new JsonObject(lab.exec("cat", SAVED).orFail());
  }

  private static List<String> linesOf(String tree, String name) {
    List<String> lines = tree.lines().toList();
    List<String> found = new ArrayList<>();
    for (int i = 0; i < lines.size(); i++) {
      if (lines.get(i).contains("o- " + name + " ")) {
        found.addAll(lines.subList(i, i + 3));
      } else if (lines.get(i).contains(":" + name + " ")) {
        found.addAll(lines.subList(i, i + 7));
      }
    }
    return found;
  }

  /** Without what is of this target alone, and without the tree's lines. */
  private static List<String> normal(List<String> lines) {
    return lines.stream()
        .map(line -> line.replaceAll("ours|them", "NAME").replaceAll("^[| ]*o- ", ""))
        .toList();
  }

  private static String normal(JsonObject entry) {
    return entry
        .encodePrettily()
        .replaceAll("ours|them", "NAME")
        .replaceAll("\"(wwn|alias)\" : \"[0-9a-f-]+\"", "\"$1\" : \"ID\"");
  }

  private static JsonObject entry(JsonObject saved, String list, String key, String value) {
    return saved.getJsonArray(list).stream()
        .map(JsonObject.class::cast)
        .filter(entry -> entry.getString(key).equals(value))
        .findFirst()
        .orElseThrow();
  }

  /** The order of the entries is the kernel's, and means nothing. */
  private static JsonObject sorted(JsonObject saved) {
    return saved
        .copy()
        .put("targets", sorted(saved.getJsonArray("targets"), "wwn"))
        .put("storage_objects", sorted(saved.getJsonArray("storage_objects"), "name"));
  }

  private static JsonArray sorted(JsonArray entries, String key) {
    return new JsonArray(
        entries.stream()
            .map(JsonObject.class::cast)
            .sorted(Comparator.comparing(entry -> entry.getString(key)))
            .toList());
  }
}
