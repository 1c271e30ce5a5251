package io.incudal.agent;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.net.http.HttpClient;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** SIGTERM while an operation runs, in front of a made-up target daemon that takes its time. */
class StopIT {
  private static final String TOKEN = "a-token-for-this-test";
  private static final String BASE = "iqn.2026-07.com.controller:";

  /** Leaves a file when it begins to make a target, and ends when there is another one, or none. */
  private static final String SLOW_TGTADM =
      """
      #!/bin/sh
      case " $* " in
        *" new "*" target "* | *" target "*" new "*)
          : >"$HOME/begun"
          while [ -e "$HOME/begun" ] && ! [ -e "$HOME/go" ]; do sleep 0.05; done ;;
      esac
      """;

  @TempDir Path home;

  private final HttpClient client = HttpClient.newHttpClient();
  private final Map<String, String> environment = new HashMap<>();

  @BeforeEach
  void settings() throws IOException {
    Path tools = Files.createDirectory(home.resolve("bin"));
    Path tgtadm = Files.writeString(tools.resolve("tgtadm"), SLOW_TGTADM);
    Files.setPosixFilePermissions(tgtadm, PosixFilePermissions.fromString("rwxr-xr-x"));
    environment.put("PATH", tools + ":" + System.getenv("PATH"));
    environment.put("HOME", home.toString());
    environment.put("IPXE_EXECUTOR", "local");
    environment.put("IPXE_AGENT_TOKEN", TOKEN);
    environment.put("IPXE_AGENT_HOST", "127.0.0.1");
    environment.put("IPXE_AGENT_PORT", "0");
    environment.put("IPXE_DISK_DIR", Files.createDirectory(home.resolve("images")).toString());
    environment.put("IPXE_LOG_FILE", home.resolve("ops.jsonl").toString());
  }

  @Test
  void endsWhatRunsAndRefusesWhatComes() throws Exception {
    try (AgentProcess agent = AgentProcess.start(home, environment)) {
      CompletableFuture<HttpResponse<String>> running = begin(agent);
      agent.terminate();
      awaitStopping(agent);
      HttpResponse<String> refused = create(agent, "late").get(10, TimeUnit.SECONDS);
      assertEquals(503, refused.statusCode());
      assertEquals("stopping", new JsonObject(refused.body()).getString("code"));
      assertTrue(refused.headers().firstValue("Retry-After").isPresent());
      assertEquals(200, status(agent, "/healthz"), "alive until it has ended");
      Files.createFile(home.resolve("go"));
      assertEquals(200, running.get(10, TimeUnit.SECONDS).statusCode());
      assertEquals(0, agent.exitCode());
    }
    String log = Files.readString(home.resolve("ops.jsonl"));
    assertTrue(log.contains(BASE + "slow") && !log.contains(BASE + "late"), log);
    assertTrue(Files.exists(home.resolve("images/slow.img")));
  }

  @Test
  void givesUpWhatDoesNotEndInTime() throws Exception {
    environment.put("IPXE_STOP_TIMEOUT_SECONDS", "1");
    environment.put("IPXE_COMMAND_TIMEOUT_SECONDS", "600");
    try (AgentProcess agent = AgentProcess.start(home, environment)) {
      begin(agent);
      long begin = System.nanoTime();
      agent.terminate();
      agent.exitCode();
      long took = TimeUnit.NANOSECONDS.toSeconds(System.nanoTime() - begin);
      assertTrue(took < 15, "took " + took + " s\n" + agent.output());
      assertTrue(agent.output().contains("still in flight"), agent.output());
    }
  }

  private CompletableFuture<HttpResponse<String>> begin(AgentProcess agent) throws Exception {
    while (status(agent, "/readyz") != 200) {
      Thread.sleep(50);
    }
    CompletableFuture<HttpResponse<String>> running = create(agent, "slow");
    while (!Files.exists(home.resolve("begun"))) {
      Thread.sleep(20);
      assertTrue(!running.isDone(), "ended at once");
    }
    return running;
  }

  private static void awaitStopping(AgentProcess agent) throws Exception {
    agent.awaitOutput(Pattern.compile("agent stopping"));
    Thread.sleep(100);
  }

  private CompletableFuture<HttpResponse<String>> create(AgentProcess agent, String suffix)
      throws Exception {
    String body = new JsonObject().put("iqn", BASE + suffix).put("size", "1M").encode();
    return client.sendAsync(
        agent
            .request("/lun/disk", TOKEN)
            .header("Content-Type", "application/json")
            .POST(BodyPublishers.ofString(body))
            .build(),
        BodyHandlers.ofString());
  }

  private static int status(AgentProcess agent, String path) throws Exception {
    return agent.status(path, TOKEN);
  }
}
