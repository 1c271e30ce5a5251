package io.incudal.agent;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.vertx.core.json.JsonObject;
import java.io.BufferedWriter;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A log far larger than the agent's heap, read by many at once. Needs no lab. */
class LargeLogIT {
  private static final String TOKEN = "a-token-for-this-test";
  private static final int LINES = 800_000;
  private static final int READERS = 16;
  private static final int PAGE = 10_000;

  @TempDir Path home;

  @Test
  @DisplayName("B68: pages of a log of 180 MB go out of a heap of 64, and nothing waits for them")
  void readsALogThatIsLargerThanTheHeap() throws Exception {
    Map<String, String> environment = new HashMap<>();
    environment.put("JAVA_TOOL_OPTIONS", "-Xmx64m");
    environment.put("IPXE_AGENT_TOKEN", TOKEN);
    environment.put("IPXE_AGENT_HOST", "127.0.0.1");
    environment.put("IPXE_AGENT_PORT", "0");
    environment.put("IPXE_DISK_DIR", home.toString());
    environment.put("IPXE_DOCKER_HOST", "unix://" + home.resolve("none.sock"));
    environment.put("IPXE_LOG_FILE", log().toString());
    ExecutorService readers = Executors.newFixedThreadPool(READERS);
    try (AgentProcess agent = AgentProcess.start(home, environment)) {
      List<Future<Integer>> walks = new ArrayList<>();
      for (int reader = 0; reader < READERS; reader++) {
        int since = LINES / READERS * reader;
        walks.add(readers.submit(() -> walk(agent, since)));
      }
      while (!walks.stream().allMatch(Future::isDone)) {
        assertEquals(200, agent.status("/healthz", ""));
        Thread.sleep(100);
      }
      for (Future<Integer> walk : walks) {
        assertEquals(LINES / READERS, walk.get());
      }
      String output = agent.output();
      assertTrue(output.contains("last-id=" + LINES), output);
      assertFalse(output.contains("blocked") || output.contains("OutOfMemory"), output);
    } finally {
      readers.shutdownNow();
    }
  }

  /** Reads one reader's part page by page, and counts what it gets. */
  private static int walk(AgentProcess agent, int since) throws Exception {
    int end = since + LINES / READERS;
    int cursor = since;
    while (cursor < end) {
      String path = "/logs?limit=" + PAGE + "&since=" + cursor;
      JsonObject page = new JsonObject(agent.send(agent.request(path, TOKEN)).body());
      int size = page.getJsonArray("entries").size();
      assertEquals(Integer.valueOf(cursor + size), page.getInteger("next_cursor"));
      cursor += size;
    }
    return cursor - since;
  }

  private Path log() throws IOException {
    Path log = home.resolve("ops.jsonl");
    try (BufferedWriter lines = Files.newBufferedWriter(log)) {
      for (int id = 1; id <= LINES; id++) {
        lines.write(
            "{\"id\":" + id + ",\"ts\":\"2026-07-27T12:00:00.123456+00:00\",\"op\":\"disk\",");
        lines.write("\"req\":{\"iqn\":\"iqn.2026-07.com.controller:worker-" + id + ".ubuntu\",");
        lines.write("\"master\":\"ubuntu_tpl_v1.img\",\"size\":null,\"filename\":null},");
        lines.write("\"result\":\"ok\",\"client\":\"127.0.0.1\"}\n");
      }
    }
    return log;
  }
}
