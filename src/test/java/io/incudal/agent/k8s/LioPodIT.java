package io.incudal.agent.k8s;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.incudal.agent.RunningAgent;
import io.incudal.agent.lab.Initiator;
import io.incudal.agent.lab.IscsiSession;
import io.incudal.agent.lab.Lab;
import io.incudal.agent.lab.LabExtension;
import io.incudal.agent.lab.LabSettings;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * The pod of the LIO overlay on the lab's kernel. The agent itself runs outside, since the kernel's
 * machine is small; but its tools run in the pod's container of that name, with its rights and
 * mounts.
 */
@Tag("lio")
@ExtendWith(LabExtension.class)
class LioPodIT {
  private final Rendering rendering = Rendering.of("lio");
  private final LabSettings settings = LabSettings.ofEnvironment();
  private final Lab lab;
  private Pod pod;
  private RunningAgent agent;

  LioPodIT(Lab lab) {
    this.lab = lab;
  }

  @BeforeEach
  void start() throws IOException {
    Path other = Files.createDirectories(lab.images().resolveSibling("pod"));
    Map<String, Path> directories =
        Map.of(
            "images",
            lab.images(),
            "audit",
            other,
            "secret",
            other,
            "levels",
            other,
            "configfs",
            Path.of("/sys/kernel/config"),
            "saved",
            Path.of(settings.value("LAB_CONFIG_DIR")));
    Map<String, String> images = Map.of("agent", settings.image(), "target", settings.image());
    Map<String, List<String>> commands =
        Map.of(
            "agent", List.of("sleep", "infinity"),
            "target", List.of("/usr/local/sbin/lio-entrypoint"));
    pod = Pod.start(rendering, new Pod.Host(directories, images, mounts(), commands));
    Map<String, String> node = new HashMap<>(lab.settings());
    node.put("IPXE_ISCSI_CONTAINER", pod.member("agent"));
    agent = RunningAgent.start(node);
    agent.awaitReady();
  }

  /** The lab's image has no files but these of its machine; and the agent is no part of the pod. */
  private List<String> mounts() {
    return Stream.concat(
            Stream.of("/usr", "/bin", "/sbin", "/lib", "/lib64", "/etc")
                .map(directory -> directory + ":" + directory + ":ro"),
            Stream.of(lab.images() + ":" + lab.images()))
        .toList();
  }

  @AfterEach
  void end() throws IOException {
    if (agent != null) {
      agent.close();
    }
    if (pod != null) {
      pod.close();
    }
    lab.removeImages();
  }

  @Test
  void servesADiskUntilItIsDeleted() throws IOException {
    String iqn = agent.iqn("pod");
    agent.post("/lun/disk", new JsonObject().put("iqn", iqn).put("size", "1M")).ok();
    try (IscsiSession session = lab.initiator().login(iqn)) {
      assertEquals(1 << 20, session.capacity(lab.diskLun()));
    }
    String saved = pod.exec("target", List.of("lio-saved", "look")).orFail();
    assertTrue(saved.contains(iqn), saved);
    agent.delete("/lun?delete_file=true&iqn=" + iqn).ok();
    assertThrows(Initiator.LoginRefused.class, () -> lab.initiator().login(iqn));
  }

  /** Or they would write over each other's saved targets. */
  @Test
  void sharesTheLockOfTargetcli() throws IOException {
    agent.post("/lun/disk", new JsonObject().put("iqn", agent.iqn("pod")).put("size", "1M")).ok();
    List<String> which = List.of("stat", "-L", "-c", "%d:%i", "/var/run/targetcli.lock");
    assertEquals(pod.exec("agent", which).orFail(), pod.exec("target", which).orFail());
    agent.delete("/lun?iqn=" + agent.iqn("pod")).ok();
  }

  @Test
  void anOperatorHasTargetcli() throws IOException {
    assertTrue(pod.passes("target", rendering.container("target").getReadinessProbe()));
    String listing = pod.exec("target", List.of("targetcli", "ls", "/iscsi", "1")).orFail();
    assertTrue(listing.contains("[Targets: 0]"), listing);
  }
}
