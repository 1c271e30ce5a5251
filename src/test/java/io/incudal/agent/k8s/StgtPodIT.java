package io.incudal.agent.k8s;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.incudal.agent.lab.Cli;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The pod of the stgt overlay: agent and tgtd in two containers, with no engine in sight. */
@Tag("image")
class StgtPodIT {
  private static final String DELETE = "/lun?delete_file=true&iqn=" + StorageNode.IQN;

  private final Rendering rendering = Rendering.of("stgt");
  private StorageNode node;

  @BeforeEach
  void start() throws IOException {
    node = StorageNode.stgt(rendering).secret("the-first-token").caller("the-first-token").start();
  }

  @AfterEach
  void end() throws IOException {
    node.close();
  }

  @Test
  void servesAClonedDiskUntilItIsDeleted() throws IOException {
    Path images = node.directory("images");
    Files.write(images.resolve("debian_tpl_12.img"), new byte[4 << 20]);
    create("master", "debian_tpl_12.img");
    assertTrue(Files.exists(images.resolve("pc-01.img")));
    String capacity = node.login("iscsi-readcapacity16").orFail();
    assertTrue(capacity.contains("" + (4 << 20)), capacity);
    assertEquals(200, node.call("DELETE", DELETE, new JsonObject()));
    assertFalse(node.login("iscsi-inq").ok());
    assertFalse(Files.exists(images.resolve("pc-01.img")));
    String audit = Files.readString(node.directory("audit").resolve("ops.jsonl"));
    assertTrue(audit.contains("\"op\":\"delete\""), audit);
  }

  @Test
  void bringsTargetsBackWhenTgtdIsRestarted() throws IOException {
    create("size", "1M");
    node.login("iscsi-inq").orFail();
    node.pod().restart("target");
    node.await("a login", () -> node.login("iscsi-inq").ok());
    node.await("the pod to be ready", node::ready);
    assertEquals(1, new JsonArray(node.body("/lun")).size());
  }

  @Test
  void bringsTargetsBackWhenThePodIsNew() throws IOException {
    create("size", "1M");
    assertEquals(0, node.pod().stop("agent"));
    node.start();
    node.login("iscsi-inq").orFail();
  }

  @Test
  void takesUpATokenOfAChangedSecret() throws IOException {
    assertEquals(200, node.get("/lun"));
    node.caller("the-second-token");
    assertEquals(401, node.get("/lun"));
    node.secret("the-second-token");
    node.await("the new token to be good", () -> node.get("/lun") == 200);
  }

  /** A ConfigMap that was not there when the pod began. */
  @Test
  void takesUpLevelsOfItsLog() throws IOException {
    node.write("levels", Map.of("levels", "io.incudal.agent=debug\n"));
    node.await("the levels", () -> node.pod().log("agent").contains("log levels changed"));
  }

  /** The images' file system comes to the host later than the pod. */
  @Test
  void seesAFileSystemThatIsMountedLater() throws IOException {
    String images = node.directory("images").toString();
    node.pod().onHost("mount", "-t", "tmpfs", "-o", "size=16m", "tmpfs", images).orFail();
    node.pod().onHost("truncate", "-s", "1M", images + "/pc-01.img").orFail();
    assertEquals(200, node.call("POST", "/lun/scan", new JsonObject()));
    node.login("iscsi-inq").orFail();
    node.end();
    node.pod().onHost("umount", images).orFail();
  }

  @Test
  void tgtdStaysAsLongAsTheAgentListens() throws Exception {
    var hook = rendering.container("target").getLifecycle().getPreStop().getExec().getCommand();
    CompletableFuture<Cli.Output> ended =
        CompletableFuture.supplyAsync(() -> node.pod().exec("target", hook));
    Thread.sleep(1000);
    assertFalse(ended.isDone());
    assertEquals(0, node.pod().stop("agent"));
    ended.get(5, TimeUnit.SECONDS).orFail();
    node.pod().exec("target", hook).orFail();
  }

  /** A LUN and a session need one each, and a runtime gives no more than 1024 by itself. */
  @Test
  void tgtdOpensAsManyFilesAsItMay() {
    List<String> show = List.of("sh", "-c", "grep -h 'open files' /proc/$(pidof tgtd)/limits");
    String limits = node.pod().exec("target", show).orFail();
    assertTrue(limits.matches("Max open files +" + Pod.OPEN_FILES + " .*"), limits);
  }

  private void create(String member, String value) throws IOException {
    var order = new JsonObject().put("iqn", StorageNode.IQN).put(member, value);
    assertEquals(200, node.call("POST", "/lun/disk", order));
  }
}
