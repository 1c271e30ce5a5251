package io.incudal.agent;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.incudal.agent.lab.Lab;
import io.incudal.agent.lab.LabExtension;
import io.incudal.agent.lab.RecordingProxy;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** The agent asks of the Docker engine what the security document says, and nothing else. */
@Tag("stgt")
@Tag("lio")
@ExtendWith(LabExtension.class)
class DockerCallsIT {
  private static final Pattern LIST =
      Pattern.compile("(?s)<a id=\"docker-calls\">.*?```\n(.*?)```");

  private final Lab lab;

  DockerCallsIT(Lab lab) {
    this.lab = lab;
  }

  @Test
  void makesJustTheDocumentedCalls(@TempDir Path directory) throws IOException {
    try (var proxy = new RecordingProxy(lab.dockerHost(), directory.resolve("docker.sock"))) {
      Map<String, String> settings = new HashMap<>(lab.settings());
      settings.put("DOCKER_HOST", proxy.address());
      try (RunningAgent agent = RunningAgent.start(settings)) {
        work(agent.awaitReady());
        lab.restart();
        agent.await("/lun", answer -> answer.status() == 200);
        work(agent.awaitReady());
      }
      assertEquals(documented(), asked(proxy));
    }
  }

  private static void work(RunningAgent agent) {
    String iqn = agent.iqn("calls");
    agent.post("/lun/disk", new JsonObject().put("iqn", iqn).put("size", "8M")).ok();
    agent.get("/lun").ok();
    agent.post("/lun/scan", new JsonObject()).ok();
    agent.delete("/lun?delete_file=true&iqn=" + iqn).ok();
  }

  private static Set<String> documented() throws IOException {
    var list = LIST.matcher(Files.readString(Path.of("src/docs/security.md")));
    if (!list.find()) {
      throw new AssertionError("no list of calls");
    }
    return list.group(1).lines().collect(Collectors.toCollection(TreeSet::new));
  }

  /** Without the version of the API, and with words for what differs from node to node. */
  private Set<String> asked(RecordingProxy proxy) {
    return proxy.calls().stream()
        .map(call -> call.replaceFirst(" /v1\\.[0-9]+/", " /"))
        .map(call -> call.replace("/" + lab.container() + "/", "/NAME/"))
        .map(call -> call.replaceFirst("/[0-9a-f]{64}/", "/ID/"))
        .collect(Collectors.toCollection(TreeSet::new));
  }
}
