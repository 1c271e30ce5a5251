package io.incudal.agent.api;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.incudal.agent.AgentTest;
import io.incudal.agent.RunningAgent;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** JWTs through the whole agent, from the settings to the audit log. */
@Tag("stgt")
@Tag("lio")
@AgentTest(
    settings = {
      "IPXE_JWT_SECRET=" + JwtIT.SECRET,
      "IPXE_JWT_ISSUER=" + Issuer.NAME,
      "IPXE_JWT_AUDIENCE=" + Issuer.AUDIENCE
    })
class JwtIT {
  static final String SECRET = "0123456789abcdef0123456789abcdef";

  private final RunningAgent agent;

  JwtIT(RunningAgent agent) {
    this.agent = agent;
  }

  @BeforeEach
  void ready() {
    agent.awaitReady();
  }

  @Test
  void namesInTheAuditLogWhoMadeADiskAndMasksTheSecret() throws IOException {
    String writer = token("lun:write", "control-plane-7");
    var body =
        new JsonObject().put("iqn", agent.iqn("by-jwt")).put("size", "1M").put("filename", SECRET);
    assertEquals(400, post(writer, body).status());
    assertEquals(200, post(writer, body.put("filename", null)).status());
    assertEquals(403, ask(writer, "/lun").status());
    assertEquals(403, ask(writer, "/logs").status());
    String reader = token("lun:read logs:read", "auditor");
    assertTrue(ask(reader, "/lun").ok().body().contains(agent.iqn("by-jwt")));
    assertEquals(403, post(reader, body).status());
    List<JsonObject> entries =
        ask(reader, "/logs").ok().json().getJsonArray("entries").stream()
            .map(JsonObject.class::cast)
            .filter(entry -> entry.getString("op").equals("disk"))
            .toList();
    assertEquals(
        List.of("failed control-plane-7", "ok control-plane-7"),
        entries.stream().map(e -> e.getString("result") + " " + e.getString("principal")).toList());
    agent.delete("/lun?delete_file=1&iqn=" + agent.iqn("by-jwt")).ok();
    List<String> lines = Files.readAllLines(agent.auditLog());
    assertTrue(lines.get(lines.size() - 2).contains("\"principal\":\"control-plane-7\""));
    String last = lines.get(lines.size() - 1);
    assertTrue(last.contains("\"op\":\"delete\""), last);
    assertFalse(last.contains("principal"), last);
    assertFalse(String.join("", lines).contains(SECRET));
  }

  private static String token(String scope, String subject) {
    return Issuer.shared(
        Issuer.header("HS256"),
        Issuer.claims().put("scope", scope).put("sub", subject).encode(),
        SECRET.getBytes(StandardCharsets.US_ASCII));
  }

  private RunningAgent.Answer ask(String token, String path) {
    return agent.send(request(token, path).GET());
  }

  private RunningAgent.Answer post(String token, JsonObject body) {
    return agent.send(request(token, "/lun/disk").POST(BodyPublishers.ofString(body.encode())));
  }

  private HttpRequest.Builder request(String token, String path) {
    return HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + agent.port() + path))
        .header("Authorization", "Bearer " + token);
  }
}
