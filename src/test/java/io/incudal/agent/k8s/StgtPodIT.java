package io.incudal.agent.k8s;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.fabric8.kubernetes.api.model.Container;
import io.incudal.agent.lab.Cli;
import io.incudal.agent.lab.LabSettings;
import io.vertx.core.json.JsonArray;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The pod of the stgt overlay: agent and tgtd in two containers, with no engine in sight. */
@Tag("image")
class StgtPodIT {
  private static final String IQN = "iqn.2026-07.com.controller:pc-01";
  private static final int LIMIT_SECONDS = 30;

  private final Rendering rendering = Rendering.of("stgt");
  private Path node;
  private Path images;
  private String token = "the-first-token";
  private Pod pod;

  @BeforeEach
  void start() throws IOException {
    LabSettings lab = LabSettings.ofEnvironment();
    node = Files.createDirectory(lab.images().resolve("node-" + UUID.randomUUID()));
    images = Files.createDirectory(node.resolve("images"));
    Files.createDirectory(node.resolve("audit"));
    Files.createDirectory(node.resolve("secret"));
    writeSecret();
    pod = Pod.start(rendering, host(lab));
    await("the pod to be ready", () -> probes("agent") && probes("target"));
  }

  private Pod.Host host(LabSettings lab) {
    return new Pod.Host(
        Map.of("images", images, "audit", node.resolve("audit"), "secret", node.resolve("secret")),
        Map.of("agent", lab.value("LAB_POD_IMAGE"), "target", lab.image()),
        List.of(),
        Map.of());
  }

  @AfterEach
  void end() throws IOException {
    if (pod != null) {
      pod.close();
    }
    try (Stream<Path> all = Files.walk(node)) {
      for (Path path : all.sorted(Comparator.reverseOrder()).toList()) {
        Files.delete(path);
      }
    }
  }

  @Test
  void servesAClonedDiskUntilItIsDeleted() throws IOException {
    Files.write(images.resolve("debian_tpl_12.img"), new byte[4 << 20]);
    assertEquals(200, call("POST", "/lun/disk", disk("\"master\":\"debian_tpl_12.img\"")));
    assertTrue(Files.exists(images.resolve("pc-01.img")));
    String capacity = login("iscsi-readcapacity16").orFail();
    assertTrue(capacity.contains("" + (4 << 20)), capacity);
    assertEquals(200, call("DELETE", "/lun?delete_file=true&iqn=" + IQN, ""));
    assertFalse(login("iscsi-inq").ok());
    assertFalse(Files.exists(images.resolve("pc-01.img")));
    String audit = Files.readString(node.resolve("audit/ops.jsonl"));
    assertTrue(audit.contains("\"op\":\"delete\""), audit);
  }

  @Test
  void bringsTargetsBackWhenTgtdIsRestarted() throws IOException {
    assertEquals(200, call("POST", "/lun/disk", disk("\"size\":\"1M\"")));
    login("iscsi-inq").orFail();
    pod.restart("target");
    await("a login", () -> login("iscsi-inq").ok());
    await("the agent to be ready", () -> probes("agent"));
    assertEquals(1, new JsonArray(get("/lun").orFail()).size());
  }

  @Test
  void bringsTargetsBackWhenThePodIsNew() throws IOException {
    assertEquals(200, call("POST", "/lun/disk", disk("\"size\":\"1M\"")));
    assertEquals(0, pod.stop("agent"));
    pod.close();
    pod = Pod.start(rendering, host(LabSettings.ofEnvironment()));
    await("a login", () -> login("iscsi-inq").ok());
  }

  /** A kubelet replaces a Secret's files by moving a link to their directory. */
  @Test
  void takesUpATokenOfAChangedSecret() throws IOException {
    assertEquals(200, call("GET", "/lun", ""));
    token = "the-second-token";
    assertEquals(401, call("GET", "/lun", ""));
    writeSecret();
    await("the new token to be good", () -> call("GET", "/lun", "") == 200);
  }

  @Test
  void tgtdStaysAsLongAsTheAgentListens() throws Exception {
    var hook = rendering.container("target").getLifecycle().getPreStop().getExec().getCommand();
    CompletableFuture<Cli.Output> ended =
        CompletableFuture.supplyAsync(() -> pod.exec("target", hook));
    Thread.sleep(1000);
    assertFalse(ended.isDone());
    assertEquals(0, pod.stop("agent"));
    ended.get(5, TimeUnit.SECONDS).orFail();
    pod.exec("target", hook).orFail();
  }

  /** A LUN and a session need one each, and a runtime gives no more than 1024 by itself. */
  @Test
  void tgtdOpensAsManyFilesAsItMay() {
    String limits =
        pod.exec("target", List.of("sh", "-c", "grep -h 'open files' /proc/$(pidof tgtd)/limits"))
            .orFail();
    assertTrue(limits.matches("Max open files +" + Pod.OPEN_FILES + " .*"), limits);
  }

  private boolean probes(String name) throws IOException {
    Container container = rendering.container(name);
    var probes =
        Stream.of(
                container.getStartupProbe(),
                container.getLivenessProbe(),
                container.getReadinessProbe())
            .filter(probe -> probe != null)
            .toList();
    assertFalse(probes.isEmpty());
    for (var probe : probes) {
      if (!pod.passes(name, probe)) {
        return false;
      }
    }
    return true;
  }

  private static String disk(String more) {
    return "{\"iqn\":\"" + IQN + "\"," + more + "}";
  }

  private Cli.Output get(String path) throws IOException {
    return pod.inNetwork(
        "curl", "-fsS", "-H", "Authorization: Bearer " + token, "http://127.0.0.1:4840" + path);
  }

  /** Returns the status. */
  private int call(String method, String path, String body) throws IOException {
    String status =
        pod.inNetwork(
                "curl",
                "-s",
                "-m",
                "30",
                "-o",
                "/dev/null",
                "-w",
                "%{http_code}",
                "-X",
                method,
                "-H",
                "Authorization: Bearer " + token,
                "-H",
                "Content-Type: application/json",
                "-d",
                body,
                "http://127.0.0.1:4840" + path)
            .orFail();
    return Integer.parseInt(status);
  }

  private Cli.Output login(String tool) throws IOException {
    return pod.inNetwork(
        "timeout",
        "5",
        tool,
        "-i",
        "iqn.2026-01.io.incudal.test:initiator",
        "iscsi://127.0.0.1:3260/" + IQN + "/1");
  }

  private void writeSecret() throws IOException {
    Path mounted = node.resolve("secret");
    Path content = Files.createTempDirectory(mounted, "..");
    Path file = Files.writeString(content.resolve("token"), token + "\n");
    Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("r--------"));
    Path link = Files.createSymbolicLink(mounted.resolve("..new"), content.getFileName());
    Files.move(link, mounted.resolve("..data"), StandardCopyOption.ATOMIC_MOVE);
    if (!Files.exists(mounted.resolve("token"))) {
      Files.createSymbolicLink(mounted.resolve("token"), Path.of("..data/token"));
    }
  }

  private interface Condition {
    boolean holds() throws IOException;
  }

  private void await(String what, Condition condition) throws IOException {
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(LIMIT_SECONDS);
    while (!condition.holds()) {
      if (System.nanoTime() > end) {
        throw new AssertionError(
            "in vain for "
                + what
                + "; agent: "
                + pod.log("agent")
                + "\ntgtd: "
                + pod.log("target"));
      }
      try {
        Thread.sleep(100);
      } catch (InterruptedException stopped) {
        Thread.currentThread().interrupt();
        throw new AssertionError("interrupted", stopped);
      }
    }
  }
}
