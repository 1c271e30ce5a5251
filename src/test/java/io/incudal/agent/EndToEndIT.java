package io.incudal.agent;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.incudal.agent.lab.IscsiSession;
import io.incudal.agent.lab.Lab;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The main job from HTTP to the initiator, and what the audit log says of it. */
@Tag("stgt")
@Tag("lio")
@AgentTest(settings = "IPXE_MASTERS_INTERVAL_SECONDS=1")
class EndToEndIT {
  private static final int SIZE = 4 * 1024 * 1024;

  private final RunningAgent agent;
  private final Lab lab;

  EndToEndIT(RunningAgent agent, Lab lab) {
    this.agent = agent;
    this.lab = lab;
  }

  @BeforeEach
  void ready() {
    agent.awaitReady();
  }

  @Test
  void servesACloneOfAMasterToAnInitiator() throws IOException {
    byte[] content = new byte[SIZE];
    new Random(4).nextBytes(content);
    Path master = agent.images().resolve("clone_tpl_v1.img");
    Files.write(master, content);
    long before = lastId();
    JsonObject made =
        create("Clone-1", new JsonObject().put("master", "clone_tpl_v1.img")).ok().json();
    assertEquals(agent.iqn("clone-1"), made.getString("iqn"));
    assertEquals(agent.images().resolve("clone-1.img").toString(), made.getString("backing"));
    try (IscsiSession session = lab.initiator().login(agent.iqn("clone-1"))) {
      assertEquals(SIZE, session.capacity(lab.diskLun()));
      assertArrayEquals(content, session.read(lab.diskLun(), 0, SIZE));
      RunningAgent.Answer refused = delete("clone-1", "&delete_file=true");
      assertEquals(409, refused.status());
      assertEquals("target_in_use", refused.json().getString("code"));
    }
    agent.await("/masters", answer -> answer.body().contains("\"clone_tpl_v1.img\""));
    delete("clone-1", "&delete_file=true&force=1").ok();
    assertFalse(Files.exists(agent.images().resolve("clone-1.img")));
    List<JsonObject> entries = entries(before);
    assertEquals(
        List.of("disk ok", "delete failed", "delete ok"),
        entries.stream().map(e -> e.getString("op") + " " + e.getString("result")).toList());
    assertEquals(
        agent.iqn("Clone-1"), entries.get(0).getJsonObject("req").getString("iqn"), "as sent");
  }

  @Test
  void goesOnCountingAndServingAfterARestart() {
    create("kept", new JsonObject().put("size", "8M")).ok();
    long before = lastId();
    agent.restart();
    agent.awaitReady();
    List<String> names =
        agent.get("/lun").ok().array().stream()
            .map(target -> ((JsonObject) target).getString("iqn"))
            .toList();
    assertTrue(names.contains(agent.iqn("kept")), names.toString());
    delete("kept", "&delete_file=true").ok();
    assertEquals(
        IntStream.rangeClosed((int) before + 1, (int) lastId()).boxed().toList(),
        entries(before).stream().map(entry -> entry.getInteger("id")).toList());
  }

  @Test
  @DisplayName("B75: after the audit log was moved away, ids go on in a new file")
  void goesOnCountingAfterTheLogWasMovedAway() throws IOException {
    long before = lastId();
    Path moved = agent.auditLog().resolveSibling("moved-away");
    Files.move(agent.auditLog(), moved);
    assertEquals(List.of(), entries(0));
    agent.post("/lun/scan", new JsonObject()).ok();
    assertEquals(List.of(before + 1), entries(0).stream().map(e -> e.getLong("id")).toList());
    Files.delete(moved);
  }

  private RunningAgent.Answer create(String suffix, JsonObject more) {
    return agent.post("/lun/disk", more.put("iqn", agent.iqn(suffix)));
  }

  private RunningAgent.Answer delete(String suffix, String more) {
    return agent.delete("/lun?iqn=" + agent.iqn(suffix) + more);
  }

  private long lastId() {
    long cursor = 0;
    JsonObject page = agent.get("/logs").ok().json();
    while (page.getLong("next_cursor") > cursor) {
      cursor = page.getLong("next_cursor");
      page = agent.get("/logs?since=" + cursor).ok().json();
    }
    return cursor;
  }

  private List<JsonObject> entries(long since) {
    JsonArray entries = agent.get("/logs?since=" + since).ok().json().getJsonArray("entries");
    return entries.stream().map(JsonObject.class::cast).toList();
  }
}
