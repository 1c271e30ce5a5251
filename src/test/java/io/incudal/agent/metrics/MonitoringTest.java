package io.incudal.agent.metrics;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.incudal.agent.RunningAgent;
import io.vertx.core.json.JsonObject;
import java.net.http.HttpRequest.BodyPublishers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What a whole agent shows to Prometheus, against what the dashboard and the alerts ask for. */
class MonitoringTest {
  private static final Pattern NAME =
      Pattern.compile("\\b(?:incudal|vertx|jvm|process|system)_[a-z_]+\\b");
  private static final Pattern EXPRESSION =
      Pattern.compile("\"expr\": \"(.*)\",|expr: (?:>-\\s+)?(.*)");

  private static RunningAgent agent;
  private static String scrape;

  /** Its tools run here, where no target daemon is; nobody listens on the panel's port. */
  @BeforeAll
  static void start() {
    agent =
        RunningAgent.start(
            Map.of(
                "IPXE_EXECUTOR", "local",
                "INCUDAL_PANEL_URL", "http://127.0.0.1:1",
                "INCUDAL_AGENT_ID", "agt_0123456789abcdefABCDEF01",
                "INCUDAL_AGENT_SECRET", "ias_0123456789abcdef0123456789abcdef"));
    agent.get("/metrics").ok();
    agent.post(
        "/lun/disk", new JsonObject().put("iqn", agent.iqn("secret-name")).put("size", "1M"));
    agent.get("/no/such/path/secret-name");
    agent.send(agent.request("/healthz").method("EVIL", BodyPublishers.noBody()));
    scrape =
        agent
            .await(
                "/metrics", answer -> answer.body().contains("incudal_tool_command_seconds_count"))
            .body();
  }

  @AfterAll
  static void stop() {
    agent.close();
  }

  @ParameterizedTest
  @ValueSource(strings = {"dashboard.json", "rules.yaml"})
  void hasEveryMetricThatIsAskedFor(String file) throws Exception {
    String text = Files.readString(Path.of("k8s/monitoring", file));
    Set<String> asked =
        EXPRESSION
            .matcher(text)
            .results()
            .flatMap(found -> NAME.matcher(found.group()).results())
            .map(name -> name.group())
            .collect(Collectors.toCollection(TreeSet::new));
    assertTrue(asked.size() > 5, asked.toString());
    asked.removeAll(shown());
    assertEquals(Set.of(), asked);
  }

  @ParameterizedTest
  @ValueSource(strings = {"README.md", "src/docs/operations.md", "src/docs/security.md"})
  void hasEveryMetricThatADocumentNames(String file) throws Exception {
    Set<String> named =
        Pattern.compile("\\bincudal_[a-z_]+\\b")
            .matcher(Files.readString(Path.of(file)))
            .results()
            .map(name -> name.group())
            .collect(Collectors.toCollection(TreeSet::new));
    named.removeAll(shown());
    assertEquals(Set.of(), named);
  }

  @Test
  void namesRequestsByTheirRoute() {
    assertTrue(
        scrape.contains(
            "incudal_http_request_seconds_count{code=\"200\",method=\"GET\","
                + "route=\"/metrics\"}"),
        scrape);
    assertTrue(scrape.contains("route=\"/lun/disk\""), scrape);
  }

  @Test
  void saysWhatEachOfItsMetricsMeans() {
    assertTrue(scrape.contains("# HELP incudal_"), scrape);
    List<String> wordless =
        scrape.lines().filter(line -> line.matches("# HELP incudal_\\S+ *")).toList();
    assertEquals(List.of(), wordless);
  }

  @Test
  void keepsNothingThatACallerChose() {
    assertFalse(scrape.contains("secret-name"), scrape);
    assertFalse(scrape.contains("EVIL"), scrape);
    assertFalse(scrape.contains("iqn."), scrape);
  }

  @Test
  void needsAToken() {
    var anonymous = agent.request("/metrics").setHeader("Authorization", "Bearer wrong").GET();
    assertEquals(401, agent.send(anonymous).status());
  }

  private static Set<String> shown() {
    return scrape
        .lines()
        .filter(line -> !line.startsWith("#"))
        .map(line -> line.split("[{ ]")[0])
        .collect(Collectors.toSet());
  }
}
