package io.incudal.agent.config;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.vertx.core.Vertx;
import io.vertx.junit5.VertxExtension;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

@ExtendWith(VertxExtension.class)
class ConfigLoaderTest {
  private static final String TOKEN = "0f7c9a1d2e";
  private static final String ID = "agt_" + "a".repeat(24);
  private static final String SECRET = "ias_" + "s".repeat(32);

  @TempDir Path directory;

  private final Map<String, String> environment = new HashMap<>();
  private Optional<Path> yaml = Optional.empty();
  private Vertx vertx;

  @BeforeEach
  void take(Vertx vertx) {
    this.vertx = vertx;
  }

  @Test
  void takesTheDefaultsOfTheContract() throws Exception {
    environment.put("IPXE_AGENT_TOKEN", TOKEN);
    NodeConfig node = load().config().node().orElseThrow();
    assertEquals(new HttpConfig("0.0.0.0", 4840, Optional.empty()), node.http());
    assertEquals("iqn.2026-07.com.controller", node.iqnBase());
    assertEquals(Path.of("/var/log/ipxe-agent/ops.jsonl"), node.auditFile());
    assertEquals(Duration.ofSeconds(30), node.stopTimeout());
    assertEquals(new QueueConfig(16, 1024), node.queue());
    assertEquals(
        new ImageConfig(Path.of("/home/iscsi_img"), 16L << 40, Duration.ofSeconds(30), 4),
        node.images());
    assertEquals(
        new BackendConfig(
            BackendConfig.Kind.STGT,
            BackendConfig.Executor.DOCKER,
            "iscsi",
            "unix:///var/run/docker.sock",
            Duration.ofSeconds(30),
            OptionalInt.empty(),
            true,
            false),
        node.backend());
    assertEquals(TOKEN, node.token().value().orElseThrow().value());
    assertEquals(
        new LogConfig(LogConfig.Format.TEXT, "info", Optional.empty()), load().config().log());
  }

  @Test
  void letsTheEnvironmentWinOverDotenvAndDotenvOverYaml() throws Exception {
    yaml("ipxe:", "  agent_token: yaml-token", "  agent_port: 1", "  iqn_base: iqn.2020-01.a");
    dotenv("IPXE_AGENT_PORT=2", "IPXE_IQN_BASE=iqn.2020-01.b");
    environment.put("IPXE_IQN_BASE", "iqn.2020-01.C");
    NodeConfig node = load().config().node().orElseThrow();
    assertEquals("yaml-token", node.token().value().orElseThrow().value());
    assertEquals(2, node.http().port());
    assertEquals("iqn.2020-01.c", node.iqnBase());
  }

  @Test
  void readsEverySettingFromYaml() throws Exception {
    Files.writeString(directory.resolve("token"), TOKEN + "\n");
    yaml(
        "panel_url: https://Panel.example:443/sub/",
        "agent_id: " + ID,
        "agent_secret: " + SECRET,
        "heartbeat_interval_seconds: 1",
        "request_timeout_seconds: 7",
        "ipxe:",
        "  agent_token_file: " + directory.resolve("token"),
        "  lio_write_back: no",
        "  delete_in_use: force",
        "  max_disk_bytes: 2T",
        "  tgt_control_port: 3",
        "  log_format: json");
    AgentConfig config = load().config();
    NodeConfig node = config.node().orElseThrow();
    assertEquals(Optional.of(directory.resolve("token")), node.token().file());
    assertEquals(Optional.empty(), node.token().value());
    assertFalse(node.backend().lioWriteBack());
    assertTrue(node.backend().deleteInUse());
    assertEquals(2L << 40, node.images().maxDiskBytes());
    assertEquals(OptionalInt.of(3), node.backend().tgtControlPort());
    assertEquals(LogConfig.Format.JSON, config.log().format());
    PanelConfig panel = config.panel().orElseThrow();
    assertEquals("https://panel.example:443/sub", panel.url().toString());
    assertEquals(Duration.ofSeconds(5), panel.interval(), "clamped to the least interval");
    assertEquals(Duration.ofSeconds(7), panel.requestTimeout());
    assertEquals(SECRET, panel.agentSecret().value());
  }

  @Test
  void runsTheHeartbeatAloneWhenNoNodeSettingIsThere() throws Exception {
    environment.put("INCUDAL_PANEL_URL", "http://127.0.0.1:8080/");
    environment.put("INCUDAL_AGENT_ID", ID);
    environment.put("INCUDAL_AGENT_SECRET", SECRET);
    AgentConfig config = load().config();
    assertTrue(config.node().isEmpty());
    assertEquals("http://127.0.0.1:8080", config.panel().orElseThrow().url().toString());
  }

  @Test
  void theLogsSettingsDoNotTurnTheAgentApiOn() throws Exception {
    yaml("ipxe:", "  log_level: warn");
    environment.put("IPXE_LOG_FORMAT", "json");
    environment.put("IPXE_LOG_LEVELS_FILE", "/etc/levels");
    assertTrue(problems().get(0).startsWith("nothing to do"), problems().toString());
    environment.put("INCUDAL_PANEL_URL", "http://127.0.0.1:8080/");
    environment.put("INCUDAL_AGENT_ID", ID);
    environment.put("INCUDAL_AGENT_SECRET", SECRET);
    AgentConfig config = load().config();
    assertTrue(config.node().isEmpty());
    var expected =
        new LogConfig(LogConfig.Format.JSON, "warn", Optional.of(Path.of("/etc/levels")));
    assertEquals(expected, config.log());
  }

  @Test
  void aSettingOfTheAgentApiBesideTheLogsTurnsItOn() throws Exception {
    yaml("ipxe:", "  log_level: warn", "  agent_port: 1");
    assertEquals(List.of("IPXE_AGENT_TOKEN: is missing (in YAML: ipxe.agent_token)"), problems());
  }

  @Test
  void saysWhatToSetWhenNoRoleIsConfigured() {
    List<String> problems = problems();
    assertEquals(1, problems.size());
    assertTrue(problems.get(0).contains("IPXE_AGENT_TOKEN"), problems.get(0));
    assertTrue(problems.get(0).contains("INCUDAL_PANEL_URL"), problems.get(0));
  }

  @Test
  void reportsAllProblemsAtOnceByName() throws Exception {
    yaml("panel_url: ftp://x", "panle_url: typo", "ipxe:", "  agent_port: 70000", "  disk: /x");
    dotenv("IPXE_BACKEND=iet", "this is no assignment");
    environment.put("IPXE_DISK_DIR", "relative");
    environment.put("IPXE_COMMAND_TIMEOUT_SECONDS", "soon");
    String all = String.join("\n", problems());
    for (String name :
        List.of(
            "panel_url: ",
            "panle_url: is no setting",
            "ipxe.agent_port: ",
            "ipxe.disk: is no setting",
            "IPXE_BACKEND: has to be one of [lio, stgt]",
            "line 2 of .env",
            "IPXE_DISK_DIR: has to be an absolute path",
            "IPXE_COMMAND_TIMEOUT_SECONDS: ",
            "IPXE_AGENT_TOKEN: is missing",
            "INCUDAL_AGENT_ID: is missing",
            "INCUDAL_AGENT_SECRET: is missing")) {
      assertTrue(all.contains(name), name + " in\n" + all);
    }
  }

  @ParameterizedTest
  @DisplayName("B62: refuses to start without a real token")
  @ValueSource(
      strings = {
        "",
        "   ",
        "\t",
        "change-me",
        "CHANGE_ME_PLEASE",
        "<token>",
        "your-token-here",
        "two words",
        "tab\tinside",
        "nul\0inside",
        "pässword-of-length"
      })
  void refusesATokenThatIsNone(String token) {
    environment.put("IPXE_AGENT_TOKEN", token);
    List<String> problems = problems();
    assertEquals(1, problems.size(), problems.toString());
    assertTrue(problems.get(0).startsWith("IPXE_AGENT_TOKEN: "), problems.get(0));
    assertTrue(token.isBlank() || !problems.get(0).contains(token), "tells the value");
  }

  @Test
  @DisplayName("B62: any other setting of the Agent API asks for the token")
  void asksForTheTokenWhenAnotherNodeSettingIsThere() {
    environment.put("IPXE_LOG_FILE", "/var/log/ops.jsonl");
    assertEquals(List.of("IPXE_AGENT_TOKEN: is missing (in YAML: ipxe.agent_token)"), problems());
  }

  @Test
  @DisplayName("B62: an emptied token is not replaced by one of a weaker source")
  void anEmptyVariableDoesNotFallBackToDotenv() throws Exception {
    dotenv("IPXE_AGENT_TOKEN=" + TOKEN);
    environment.put("IPXE_AGENT_TOKEN", "");
    assertEquals(1, problems().size());
  }

  @Test
  @DisplayName("B105: the examples as they are do not start an agent")
  void refusesTheTokenOfTheExamples() throws Exception {
    Files.copy(Path.of("conf/agent.env.example"), directory.resolve(".env"));
    assertTrue(problems().get(0).contains("placeholder"), problems().toString());
    Files.delete(directory.resolve(".env"));
    yaml = Optional.of(Path.of("conf/config.example.yaml").toAbsolutePath());
    assertTrue(problems().get(0).contains("placeholder"), problems().toString());
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "change-me", "two words", "a\nb"})
  void refusesATokenFileWithoutARealToken(String content) throws Exception {
    Files.writeString(directory.resolve("token"), content);
    environment.put("IPXE_AGENT_TOKEN_FILE", directory.resolve("token").toString());
    assertTrue(problems().get(0).startsWith("IPXE_AGENT_TOKEN_FILE: the token in the file "));
  }

  @ParameterizedTest
  @CsvSource({
    "IPXE_TLS_CERT, IPXE_TLS_KEY",
    "IPXE_TLS_KEY, IPXE_TLS_CERT",
    "IPXE_TLS_CLIENT_CA, IPXE_TLS_CERT; IPXE_TLS_KEY",
  })
  void needsCertificateAndKeyTogether(String given, String missing) {
    environment.put("IPXE_AGENT_TOKEN", TOKEN);
    environment.put(given, "/etc/tls.pem");
    List<String> names = problems().stream().map(problem -> problem.split(":")[0]).toList();
    assertEquals(List.of(missing.split("; ")), names);
  }

  @Test
  void refusesATokenFileThatIsNotThere() {
    environment.put("IPXE_AGENT_TOKEN_FILE", "/nowhere/token");
    assertEquals(List.of("IPXE_AGENT_TOKEN_FILE: the file cannot be read"), problems());
  }

  @Test
  void refusesTwoPlacesForTheToken() throws Exception {
    Files.writeString(directory.resolve("token"), TOKEN);
    environment.put("IPXE_AGENT_TOKEN", TOKEN);
    environment.put("IPXE_AGENT_TOKEN_FILE", directory.resolve("token").toString());
    assertTrue(problems().get(0).contains("keep one of them"));
  }

  @Test
  void keepsTextsJustAsTheyStandInDotenv() throws Exception {
    dotenv(
        "# comment",
        "",
        "export IPXE_AGENT_TOKEN = '007'",
        "IPXE_AGENT_TOKEN_PREVIOUS=a\\nb\\#c # comment",
        "OTHER=ignored",
        "IPXE_ISCSI_CONTAINER=\"true\"");
    NodeConfig node = load().config().node().orElseThrow();
    assertEquals("007", node.token().value().orElseThrow().value());
    assertEquals("a\\nb\\#c", node.token().previous().orElseThrow().value());
    assertEquals("true", node.backend().container());
  }

  @Test
  void asksForQuotesWhereYamlHasMadeANumberOfAText() throws Exception {
    yaml("ipxe:", "  agent_token: 0777");
    assertEquals(List.of("ipxe.agent_token: has to stand in quotes, to be a text"), problems());
  }

  @Test
  @DisplayName("B80: a broken YAML file is named without quoting its line")
  void tellsThePlaceOfBrokenYamlButNotTheLine() throws Exception {
    yaml("ipxe:", "  agent_token: \"very-secret");
    String problem = problems().get(0);
    assertTrue(problem.contains("config.yaml") && problem.contains("line "), problem);
    assertFalse(problem.contains("very-secret"), problem);
  }

  @ParameterizedTest
  @ValueSource(strings = {"just a text", "- a\n- list", "ipxe: [1, 2]"})
  void refusesYamlThatHoldsNoSettings(String content) throws Exception {
    environment.put("IPXE_AGENT_TOKEN", TOKEN);
    yaml(content);
    assertEquals(1, problems().size());
  }

  @Test
  void refusesANamedFileThatIsNotThere() {
    yaml = Optional.of(directory.resolve("none.yaml"));
    assertTrue(problems().get(0).contains("none.yaml: cannot be read"));
  }

  @Test
  void takesAnEmptySectionForTheRole() throws Exception {
    yaml("ipxe:");
    environment.put("IPXE_AGENT_TOKEN_PREVIOUS", "");
    assertEquals(1, problems().size());
  }

  @Test
  void warnsOfUnknownVariablesAndStarts() throws Exception {
    environment.put("IPXE_AGENT_TOKEN", TOKEN);
    environment.put("IPXE_AGENT_SERVICE_HOST", "10.0.0.1");
    environment.put("INCUDAL_TYPO", "x");
    environment.put("PATH", "/bin");
    assertEquals(
        List.of(
            "INCUDAL_TYPO: is no setting, and is ignored",
            "IPXE_AGENT_SERVICE_HOST: is no setting, and is ignored"),
        load().warnings());
  }

  @Test
  void takesDockerHostWhereTheAgentsOwnSettingIsNotThere() throws Exception {
    environment.put("IPXE_AGENT_TOKEN", TOKEN);
    environment.put("DOCKER_HOST", "tcp://127.0.0.1:2375");
    assertEquals("tcp://127.0.0.1:2375", dockerHost());
    yaml("ipxe:", "  docker_host: unix:///run/yaml.sock");
    assertEquals("unix:///run/yaml.sock", dockerHost());
    environment.put("IPXE_DOCKER_HOST", "unix:///run/own.sock");
    assertEquals("unix:///run/own.sock", dockerHost());
  }

  @Test
  @DisplayName("B80: the effective configuration masks every secret")
  void showsTheEffectiveConfigurationWithoutSecrets() throws Exception {
    environment.put("IPXE_AGENT_TOKEN", TOKEN);
    environment.put("IPXE_AGENT_TOKEN_PREVIOUS", "older-" + TOKEN);
    environment.put("INCUDAL_PANEL_URL", "https://panel.example");
    environment.put("INCUDAL_AGENT_ID", ID);
    environment.put("INCUDAL_AGENT_SECRET", SECRET);
    LoadedConfig loaded = load();
    String shown = String.join(" ", loaded.effective());
    assertTrue(shown.contains("IPXE_AGENT_PORT=4840"), shown);
    assertTrue(shown.contains("IPXE_AGENT_TOKEN=***"), shown);
    for (String text : List.of(shown, loaded.toString())) {
      assertFalse(text.contains(TOKEN) || text.contains(SECRET), text);
    }
  }

  @ParameterizedTest
  @CsvSource({
    "IPXE_IQN_BASE, iqn.2026-13.com.x",
    "IPXE_IQN_BASE, iqn.2026-07.com.x:",
    "IPXE_IQN_BASE, iqn.2026-07.com.my_host",
    "IPXE_IQN_BASE, eui.0123456789ABCDEF",
    "IPXE_AGENT_PORT, -1",
    "IPXE_AGENT_PORT, 4840.0",
    "IPXE_MAX_DISK_BYTES, 1000",
    "IPXE_MAX_DISK_BYTES, 0",
    "IPXE_MAX_DISK_BYTES, 99999999T",
    "IPXE_LIO_WRITE_BACK, maybe",
    "IPXE_DOCKER_HOST, ssh://host",
    "IPXE_LOG_LEVEL, loud",
    "'IPXE_DISK_DIR', '/a,b'",
    "INCUDAL_PANEL_URL, http://panel.example",
    "INCUDAL_PANEL_URL, https://user@panel.example",
    "INCUDAL_PANEL_URL, https://panel.example/?q",
    "INCUDAL_PANEL_URL, https:/panel.example",
    "INCUDAL_PANEL_URL, http://127.0.0.1.evil.example",
    "INCUDAL_AGENT_ID, agt_short",
    "INCUDAL_AGENT_SECRET, ias_short",
    "INCUDAL_PANEL_CA_FILE, /nowhere/ca.pem",
  })
  void refusesWhatASettingCannotBe(String name, String value) {
    environment.put("IPXE_AGENT_TOKEN", TOKEN);
    environment.put("INCUDAL_PANEL_URL", "https://panel.example");
    environment.put("INCUDAL_AGENT_ID", ID);
    environment.put("INCUDAL_AGENT_SECRET", SECRET);
    environment.put(name, value);
    List<String> problems = problems();
    assertEquals(1, problems.size(), problems.toString());
    assertTrue(problems.get(0).startsWith(name + ": "), problems.get(0));
    assertFalse(problems.get(0).contains(value), problems.get(0));
  }

  private String dockerHost() throws Exception {
    return load().config().node().orElseThrow().backend().dockerHost();
  }

  private LoadedConfig load() throws Exception {
    return new ConfigLoader(vertx, new ConfigSources(yaml, directory.resolve(".env"), environment))
        .load()
        .await();
  }

  private List<String> problems() {
    return assertThrows(ConfigException.class, this::load).problems();
  }

  private void yaml(String... lines) throws IOException {
    Path file = directory.resolve("config.yaml");
    Files.writeString(file, String.join("\n", lines) + "\n");
    yaml = Optional.of(file);
  }

  private void dotenv(String... lines) throws IOException {
    Files.writeString(directory.resolve(".env"), String.join("\n", lines) + "\n");
  }
}
