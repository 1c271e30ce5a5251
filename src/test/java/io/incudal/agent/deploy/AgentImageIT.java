package io.incudal.agent.deploy;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.incudal.agent.RunningAgent.Answer;
import io.incudal.agent.lab.Cli;
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
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** The agent's container image in front of a target daemon in another container. */
@Tag("image")
@ExtendWith(LabExtension.class)
class AgentImageIT {
  private static final String IQN = "iqn.2026-07.com.controller:pc-01";

  @TempDir static Path home;

  private final LabSettings settings = LabSettings.ofEnvironment();
  private final Lab lab;

  AgentImageIT(Lab lab) {
    this.lab = lab;
  }

  @BeforeEach
  void imagesAreTheAgents() {
    AgentContainer.directory(lab.images());
  }

  @AfterEach
  void noImages() throws IOException {
    lab.removeImages();
  }

  @Test
  void isSmallAndRunsAsNobody() {
    JsonObject image = inspect();
    assertTrue(image.getLong("Size") <= 220_000_000, "size " + image.getLong("Size"));
    assertEquals("4840:4840", image.getJsonObject("Config").getString("User"));
  }

  @Test
  void worksWithoutRightsOnAReadOnlyRoot() throws IOException {
    Path master = lab.images().resolve("debian_tpl_12.img");
    Files.write(master, new byte[1024 * 1024]);
    try (AgentContainer agent = start(socketDirectory())) {
      agent.await("/readyz", answer -> answer.status() == 200);
      var order = new JsonObject().put("iqn", IQN).put("master", "debian_tpl_12.img");
      agent.post("/lun/disk", order).ok();
      assertTrue(Files.exists(lab.images().resolve("pc-01.img")));
      assertEquals(1, agent.get("/lun").ok().array().size());
      String status = agent.process("status");
      assertTrue(status.contains("Uid:\t4840\t4840\t4840\t4840"), status);
      assertTrue(status.contains("CapEff:\t0000000000000000"), status);
      String maps = agent.process("maps");
      assertTrue(maps.contains("/opt/incudal-agent/agent.jsa"), "the class archive is not used");
      assertTrue(maps.contains("/opt/incudal-agent/lib/libjnidispatch.so"), "JNA was unpacked");
      agent.delete("/lun?iqn=" + IQN + "&delete_file=true").ok();
      assertEquals(0, agent.stop());
      assertTrue(agent.log().contains("agent stopped"), agent.log());
    }
  }

  @Test
  void holdsNoShell() {
    for (String shell : List.of("sh", "/bin/sh", "/bin/bash", "/bin/busybox")) {
      Cli.Output run =
          docker(
              "run", "--rm", "--network", "none", "--entrypoint", shell, image(), "-c", "exit 0");
      assertEquals(127, run.exitCode(), run.text());
    }
  }

  @Test
  @DisplayName("B40: lives on when Docker made a directory in place of its socket, and says so")
  void saysThatTheSocketIsADirectory() throws IOException {
    Path engine = Files.createDirectories(home.resolve("engine"));
    Files.createDirectories(engine.resolve(AgentContainer.socket(settings).getFileName()));
    try (AgentContainer agent = start(engine)) {
      Answer listing = agent.await("/lun", answer -> answer.status() == 503);
      assertEquals("docker_unavailable", listing.json().getString("code"));
      String detail = listing.json().getString("detail");
      assertTrue(detail.contains("its socket's path is a directory"), detail);
      assertEquals(200, agent.get("/healthz").status());
    }
  }

  @Test
  @DisplayName("B43: the target daemon sees another directory: found at start, nothing left behind")
  void findsThatTheDaemonSeesAnotherDirectory() throws IOException {
    // The agent's own directory, under the path at which the daemon has the lab's.
    Path other = AgentContainer.directory(settings.images().resolve("other"));
    try (AgentContainer agent = start(other + ":" + lab.images(), socketDirectory())) {
      agent.await("/readyz", answer -> answer.status() == 200);
      String log = agent.log();
      assertTrue(
          log.contains(
              "ERROR MountCheck - image directory problem: the iSCSI container has another"),
          log);
      Answer made = agent.post("/lun/disk", new JsonObject().put("iqn", IQN).put("size", "1M"));
      assertEquals(500, made.status(), made.body());
      String detail = made.json().getString("detail");
      assertTrue(detail.contains("mounted in the iSCSI container under the same path"), detail);
      try (var left = Files.list(other)) {
        assertEquals(List.of(), left.toList());
      }
      assertEquals(0, agent.get("/lun").ok().array().size());
    } finally {
      Files.delete(other);
    }
  }

  private AgentContainer start(Path engine) {
    return start(lab.images() + ":" + lab.images(), engine);
  }

  private AgentContainer start(String images, Path engine) {
    Map<String, String> node = new HashMap<>(lab.settings());
    node.remove("DOCKER_HOST");
    Path log = AgentContainer.directory(home.resolve("log"));
    return AgentContainer.start(
        node,
        List.of(
            images, log + ":/var/log/ipxe-agent", engine + ":" + AgentContainer.ENGINE + ":ro"));
  }

  private Path socketDirectory() {
    return AgentContainer.socket(settings).getParent();
  }

  private JsonObject inspect() {
    return new JsonObject(docker("image", "inspect", "-f", "{{json .}}", image()).orFail());
  }

  private String image() {
    return AgentContainer.image(settings);
  }

  private Cli.Output docker(String... words) {
    return AgentContainer.docker(settings, List.of(words));
  }
}
