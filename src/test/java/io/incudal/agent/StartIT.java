package io.incudal.agent;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.netty.pkitesting.CertificateBuilder;
import io.netty.pkitesting.X509Bundle;
import java.io.IOException;
import java.net.http.HttpRequest.BodyPublishers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.regex.Pattern;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLSocket;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The process: what it prints, how it ends. Needs no lab: there is no back end behind it. */
class StartIT {
  private static final String TOKEN = "a-token-for-this-test";

  @TempDir Path home;

  private final Map<String, String> environment = new HashMap<>();

  @BeforeEach
  void settings() {
    environment.put("IPXE_AGENT_HOST", "127.0.0.1");
    environment.put("IPXE_AGENT_PORT", "0");
    environment.put("IPXE_LOG_FILE", home.resolve("log/ops.jsonl").toString());
    environment.put("IPXE_DISK_DIR", home.toString());
    environment.put("IPXE_DOCKER_HOST", "unix://" + home.resolve("none.sock"));
  }

  @Test
  void printsItsVersion() throws Exception {
    try (AgentProcess agent = AgentProcess.start(home, Map.of(), "--version")) {
      assertEquals(0, agent.exitCode());
      assertTrue(agent.output().matches("v[0-9]+\\.[0-9]+\\.[0-9]+\n"), agent.output());
    }
  }

  @Test
  void explainsItselfAndItsSettings() throws Exception {
    try (AgentProcess agent = AgentProcess.start(home, Map.of(), "--help")) {
      assertEquals(0, agent.exitCode());
      assertTrue(agent.output().contains("--once"), agent.output());
      assertTrue(agent.output().contains("IPXE_AGENT_TOKEN"), agent.output());
    }
  }

  @Test
  void refusesArgumentsThatItDoesNotKnow() throws Exception {
    try (AgentProcess agent = AgentProcess.start(home, Map.of(), "--frobnicate")) {
      assertEquals(2, agent.exitCode());
      assertTrue(agent.output().contains("--frobnicate"), agent.output());
    }
  }

  @Test
  void saysWhatToSetWhenNothingIsSet() throws Exception {
    Path empty = Files.writeString(home.resolve("empty.yaml"), "");
    try (AgentProcess agent = AgentProcess.start(home, Map.of(), "--config", empty.toString())) {
      assertEquals(2, agent.exitCode());
      assertTrue(agent.output().contains("set IPXE_AGENT_TOKEN"), agent.output());
    }
  }

  @ParameterizedTest
  @DisplayName("B62: does not start without a real token")
  @ValueSource(strings = {"(unset)", "", "  ", "change-me"})
  void doesNotStartWithoutARealToken(String token) throws Exception {
    if (!token.equals("(unset)")) {
      environment.put("IPXE_AGENT_TOKEN", token);
    }
    try (AgentProcess agent = AgentProcess.start(home, environment)) {
      assertEquals(2, agent.exitCode());
      assertTrue(agent.output().contains("IPXE_AGENT_TOKEN: "), agent.output());
    }
  }

  @Test
  @DisplayName(
      "B62: runs without a back end, lets in who shows the token, and ends with 0 on SIGTERM")
  void runsAndEndsInOrder() throws Exception {
    environment.put("IPXE_AGENT_TOKEN", TOKEN);
    try (AgentProcess agent = AgentProcess.start(home, environment)) {
      assertEquals(200, agent.status("/healthz", ""));
      assertEquals(200, agent.status("/logs", TOKEN));
      assertEquals(401, agent.status("/logs", ""));
      assertEquals(503, agent.status("/lun", TOKEN));
      agent.terminate();
      assertEquals(0, agent.exitCode());
      assertTrue(agent.output().contains("agent stopped"), agent.output());
    }
  }

  @Test
  void failsWhenItsPortIsTaken() throws Exception {
    environment.put("IPXE_AGENT_TOKEN", TOKEN);
    try (AgentProcess first = AgentProcess.start(home, environment)) {
      environment.put("IPXE_AGENT_PORT", Integer.toString(first.port()));
      environment.put("IPXE_LOG_FILE", home.resolve("second/ops.jsonl").toString());
      try (AgentProcess second = AgentProcess.start(home, environment)) {
        assertEquals(1, second.exitCode());
        assertTrue(second.output().contains("agent cannot start"), second.output());
      }
    }
  }

  @Test
  @DisplayName("B73: starts on a log full of garbage and answers from it")
  void startsOnALogFullOfGarbage() throws Exception {
    environment.put("IPXE_AGENT_TOKEN", TOKEN);
    Files.createDirectory(home.resolve("log"));
    Files.writeString(
        home.resolve("log/ops.jsonl"), "\0\0\0\nx\n{\"id\":3}\n{\"id\":4,\"op\":\"di");
    try (AgentProcess agent = AgentProcess.start(home, environment)) {
      assertEquals(200, agent.status("/logs", TOKEN));
      assertTrue(agent.output().contains("unreadable lines passed over"), agent.output());
      assertTrue(agent.output().contains("torn line cut off"), agent.output());
    }
  }

  @Test
  @DisplayName("B80: no secret on standard output or in the process list")
  void showsNoSecret() throws Exception {
    environment.put("IPXE_AGENT_TOKEN", TOKEN);
    environment.put("IPXE_LOG_LEVEL", "trace");
    String secret = "ias_" + "k".repeat(40);
    environment.put("INCUDAL_PANEL_URL", "http://127.0.0.1:9");
    environment.put("INCUDAL_AGENT_ID", "agt_" + "i".repeat(24));
    environment.put("INCUDAL_AGENT_SECRET", secret);
    String shared = "j".repeat(32);
    environment.put("IPXE_JWT_SECRET", shared);
    environment.put("IPXE_JWT_ISSUER", "https://id.example.com");
    environment.put("IPXE_JWT_AUDIENCE", "incudal-agent");
    try (AgentProcess agent = AgentProcess.start(home, environment)) {
      String bodies = sendTheTokenEverywhere(agent);
      agent.awaitOutput(Pattern.compile("heartbeat"));
      String commandLine = Files.readString(Path.of("/proc/" + agent.pid() + "/cmdline"));
      agent.terminate();
      agent.exitCode();
      String log = Files.readString(home.resolve("log/ops.jsonl"));
      for (String text : new String[] {bodies, commandLine, log, agent.output()}) {
        assertFalse(text.contains(TOKEN) || text.contains(secret) || text.contains(shared), text);
      }
      assertTrue(log.contains("***"), log);
      assertTrue(agent.output().contains("IPXE_JWT_SECRET=***"), agent.output());
    }
  }

  private static String sendTheTokenEverywhere(AgentProcess agent) throws Exception {
    var bodies = new StringBuilder();
    String iqn = "iqn.2026-07.com.controller:" + TOKEN;
    for (String path : new String[] {"/lun", "/logs?since=" + TOKEN, "/" + TOKEN}) {
      bodies.append(agent.send(agent.request(path, TOKEN)).body());
      bodies.append(agent.send(agent.request(path, "not-" + TOKEN)).body());
    }
    for (String value : new String[] {TOKEN, iqn}) {
      bodies.append(agent.send(agent.request("/lun?iqn=" + value, TOKEN).DELETE()).body());
      String body = "{\"iqn\":\"" + value + "\",\"size\":\"" + TOKEN + "\"}";
      var post = agent.request("/lun/disk", TOKEN).header("Content-Type", "application/json");
      bodies.append(agent.send(post.POST(BodyPublishers.ofString(body))).body());
    }
    return bodies.toString();
  }

  @Test
  void sendsOneHeartbeatAndSaysThatItFailed() throws Exception {
    environment.clear();
    environment.put("INCUDAL_PANEL_URL", "http://127.0.0.1:9");
    environment.put("INCUDAL_AGENT_ID", "agt_" + "i".repeat(24));
    environment.put("INCUDAL_AGENT_SECRET", "ias_" + "k".repeat(40));
    try (AgentProcess agent = AgentProcess.start(home, environment, "-once")) {
      assertEquals(1, agent.exitCode());
      assertFalse(agent.output().isBlank());
    }
  }

  @Test
  void asksForThePanelWhenOnceIsAskedWithoutOne() throws IOException, InterruptedException {
    environment.put("IPXE_AGENT_TOKEN", TOKEN);
    try (AgentProcess agent = AgentProcess.start(home, environment, "--once")) {
      assertEquals(2, agent.exitCode());
      assertTrue(agent.output().contains("INCUDAL_PANEL_URL"), agent.output());
    }
  }

  @Test
  void refusesAnotherHandshakeOnTheSameConnection() throws Exception {
    X509Bundle own =
        new CertificateBuilder()
            .subject("CN=node")
            .addSanIpAddress("127.0.0.1")
            .setIsCertificateAuthority(true)
            .ecp256()
            .buildSelfSigned();
    Path certificate = Files.writeString(home.resolve("tls.crt"), own.getCertificatePathPEM());
    Path key = Files.writeString(home.resolve("tls.key"), own.getPrivateKeyPEM());
    environment.put("IPXE_AGENT_TOKEN", TOKEN);
    environment.put("IPXE_TLS_CERT", certificate.toString());
    environment.put("IPXE_TLS_KEY", key.toString());
    SSLContext context = SSLContext.getInstance("TLSv1.2");
    context.init(null, own.toTrustManagerFactory().getTrustManagers(), null);
    try (AgentProcess agent = AgentProcess.start(home, environment);
        SSLSocket socket =
            (SSLSocket) context.getSocketFactory().createSocket("127.0.0.1", agent.port())) {
      socket.setSoTimeout(10_000);
      socket.startHandshake();
      socket.startHandshake();
      assertThrows(SSLException.class, () -> socket.getInputStream().read());
    }
  }
}
