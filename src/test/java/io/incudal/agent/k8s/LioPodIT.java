package io.incudal.agent.k8s;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.incudal.agent.lab.Initiator;
import io.incudal.agent.lab.IscsiSession;
import io.incudal.agent.lab.Lab;
import io.incudal.agent.lab.LabExtension;
import io.incudal.agent.lab.LabSettings;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.spi.ToolProvider;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * The pod of the LIO overlay on the lab's kernel: the agent and LIO's tools in two containers, with
 * no engine in sight. One pod for all tests, since Java starts slowly on that kernel.
 */
@Tag("lio")
@ExtendWith(LabExtension.class)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class LioPodIT {
  private static final String TOKEN = "a-token-of-the-pod";
  private static final String DELETE = "/lun?delete_file=true&iqn=" + StorageNode.IQN;

  private final Rendering rendering = Rendering.of("lio");
  private final LabSettings settings = LabSettings.ofEnvironment();
  private final Lab lab;
  private StorageNode node;

  LioPodIT(Lab lab) {
    this.lab = lab;
  }

  @BeforeAll
  void start() throws IOException {
    Map<String, Path> directories =
        Map.of(
            "configfs", Path.of("/sys/kernel/config"),
            "saved", Path.of(settings.value("LAB_CONFIG_DIR")));
    Map<String, String> images = Map.of("agent", settings.image(), "target", settings.image());
    String application = application().toString();
    String java = application + "/runtime/bin/java";
    Map<String, List<String>> commands =
        Map.of(
            "agent", List.of(java, "-XX:+UseSerialGC", "-jar", application + "/agent.jar"),
            "target", List.of("/usr/local/sbin/lio-entrypoint"));
    node = new StorageNode(rendering, new Pod.Host(directories, images, mounts(), commands));
    node.secret(TOKEN).caller(TOKEN).start();
  }

  /** The lab's image holds nothing: these are of its machine. */
  private List<String> mounts() throws IOException {
    return Stream.concat(
            Stream.of("/usr", "/bin", "/sbin", "/lib", "/lib64", "/etc"),
            Stream.of(application().toString()))
        .map(directory -> directory + ":" + directory + ":ro")
        .toList();
  }

  /** The agent, and the Java that it needs, where the lab's machine sees them. */
  private Path application() throws IOException {
    Path application = Path.of(settings.value("LAB_STATE"), "application");
    if (!Files.exists(application)) {
      Path made = Files.createTempDirectory(application.getParent(), "application");
      Files.copy(Path.of("target/incudal-agent.jar"), made.resolve("agent.jar"));
      String[] words = {
        "--add-modules",
        "java.se,jdk.crypto.ec,jdk.management,jdk.unsupported",
        "--strip-debug",
        "--no-header-files",
        "--no-man-pages",
        "--output",
        made.resolve("runtime").toString()
      };
      assertEquals(
          0, ToolProvider.findFirst("jlink").orElseThrow().run(System.out, System.err, words));
      Files.move(made, application);
    }
    return application;
  }

  @AfterAll
  void end() throws IOException {
    node.close();
  }

  @Test
  void servesAClonedDiskUntilItIsDeleted() throws IOException {
    Path images = node.directory("images");
    Files.write(images.resolve("debian_tpl_12.img"), new byte[4 << 20]);
    create("master", "debian_tpl_12.img");
    try (IscsiSession session = lab.initiator().login(StorageNode.IQN)) {
      assertEquals(4 << 20, session.capacity(lab.diskLun()));
    }
    String saved = node.pod().exec("target", List.of("lio-saved", "look")).orFail();
    assertTrue(saved.contains(StorageNode.IQN), saved);
    assertEquals(200, node.call("DELETE", DELETE, new JsonObject()));
    assertThrows(Initiator.LoginRefused.class, () -> lab.initiator().login(StorageNode.IQN));
    String audit = Files.readString(node.directory("audit").resolve("ops.jsonl"));
    assertTrue(audit.contains("\"op\":\"delete\""), audit);
  }

  /** The targets are the kernel's: they outlive both containers. */
  @Test
  void cutsNobodyOffWhenThePodIsNew() throws IOException {
    create("size", "1M");
    try (IscsiSession session = lab.initiator().login(StorageNode.IQN)) {
      assertEquals(0, node.pod().stop("agent"));
      node.start();
      assertEquals(1 << 20, session.capacity(lab.diskLun()));
    }
    assertEquals(1, new JsonArray(node.body("/lun")).size());
    assertEquals(200, node.call("DELETE", DELETE, new JsonObject()));
  }

  /** Or they would write over each other's saved targets. */
  @Test
  void sharesTheLockOfTargetcli() throws IOException {
    create("size", "1M");
    List<String> which = List.of("stat", "-L", "-c", "%d:%i", "/var/run/targetcli.lock");
    assertEquals(
        node.pod().exec("agent", which).orFail(), node.pod().exec("target", which).orFail());
    assertEquals(200, node.call("DELETE", DELETE, new JsonObject()));
  }

  @Test
  void anOperatorHasTargetcli() {
    String listing = node.pod().exec("target", List.of("targetcli", "ls", "/iscsi", "1")).orFail();
    assertTrue(listing.contains("[Targets: 0]"), listing);
  }

  private void create(String member, String value) throws IOException {
    var order = new JsonObject().put("iqn", StorageNode.IQN).put(member, value);
    assertEquals(200, node.call("POST", "/lun/disk", order));
  }
}
