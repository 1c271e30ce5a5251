package io.incudal.agent.config;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.vertx.core.json.JsonObject;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class JwtSettingsTest {
  private static final String SECRET = "0123456789abcdef0123456789abcdef";

  @TempDir Path directory;

  private final Map<String, Object> variables = new HashMap<>();
  private Path file;

  @BeforeEach
  void issuer() throws Exception {
    file = Files.writeString(directory.resolve("key"), "x");
    variables.put("IPXE_JWT_ISSUER", "https://id.example.com");
    variables.put("IPXE_JWT_AUDIENCE", "incudal-agent");
  }

  @Test
  void needNoTokenBesideThem() throws Exception {
    variables.put("IPXE_JWT_SECRET", SECRET);
    NodeConfig node = load().config().node().orElseThrow();
    assertEquals(
        Optional.of(
            new JwtConfig(
                new JwtConfig.SharedSecret(new Secret(SECRET)),
                "https://id.example.com",
                "incudal-agent",
                Duration.ofSeconds(30),
                Duration.ofSeconds(300))),
        node.jwt());
    assertEquals(
        new TokenConfig(Optional.empty(), Optional.empty(), Optional.empty()), node.token());
    variables.put("IPXE_AGENT_TOKEN", "0f7c9a1d2e");
    assertEquals(
        Optional.of(new Secret("0f7c9a1d2e")),
        load().config().node().orElseThrow().token().value());
  }

  @Test
  void areOffWithoutAKey() throws Exception {
    variables.clear();
    variables.put("IPXE_AGENT_TOKEN", "0f7c9a1d2e");
    assertEquals(Optional.empty(), load().config().node().orElseThrow().jwt());
    assertTrue(load().effective().stream().noneMatch(line -> line.contains("JWT")));
  }

  @Test
  void takeAFileOrAUrlForTheJwks() throws Exception {
    variables.put("IPXE_JWT_JWKS", file.toString());
    assertEquals(new JwtConfig.JwksFile(file), keys());
    variables.put("IPXE_JWT_JWKS", "https://id.example.com/realm/jwks/?p=1");
    assertEquals(
        new JwtConfig.JwksUrl(URI.create("https://id.example.com/realm/jwks/?p=1")), keys());
    variables.put("IPXE_JWT_JWKS", "http://127.0.0.1:8080/jwks");
    assertEquals(new JwtConfig.JwksUrl(URI.create("http://127.0.0.1:8080/jwks")), keys());
    variables.remove("IPXE_JWT_JWKS");
    variables.put("IPXE_JWT_PUBLIC_KEY_FILE", file.toString());
    assertEquals(new JwtConfig.PublicKeyFile(file), keys());
  }

  @Test
  void keepTheSecretOutOfTheLog() throws Exception {
    variables.put("IPXE_JWT_SECRET", SECRET);
    LoadedConfig loaded = load();
    assertTrue(loaded.effective().contains("IPXE_JWT_SECRET=***"));
    assertFalse((loaded + "").contains(SECRET));
    assertEquals(List.of(new Secret(SECRET)), new KnownSecrets(loaded.config()).known());
  }

  @Test
  void mustHaveOneKeyOnly() {
    variables.put("IPXE_JWT_SECRET", SECRET);
    variables.put("IPXE_JWT_JWKS", "https://id.example.com/jwks");
    variables.put("IPXE_JWT_PUBLIC_KEY_FILE", file.toString());
    assertEquals(
        List.of(
            "IPXE_JWT_JWKS: is set beside IPXE_JWT_PUBLIC_KEY_FILE; keep one of them",
            "IPXE_JWT_SECRET: is set beside IPXE_JWT_PUBLIC_KEY_FILE; keep one of them"),
        problems());
  }

  @Test
  void mustNameIssuerAndAudience() {
    variables.clear();
    variables.put("IPXE_JWT_SECRET", SECRET);
    assertEquals(
        List.of(
            "IPXE_JWT_ISSUER: is missing (in YAML: ipxe.jwt_issuer)",
            "IPXE_JWT_AUDIENCE: is missing (in YAML: ipxe.jwt_audience)"),
        problems());
  }

  @Test
  void meanNothingWithoutAKey() {
    variables.put("IPXE_JWT_LEEWAY_SECONDS", "1");
    variables.put("IPXE_AGENT_TOKEN", "0f7c9a1d2e");
    String why =
        ": means nothing without IPXE_JWT_PUBLIC_KEY_FILE, IPXE_JWT_JWKS or IPXE_JWT_SECRET";
    assertEquals(
        List.of(
            "IPXE_JWT_ISSUER" + why, "IPXE_JWT_AUDIENCE" + why, "IPXE_JWT_LEEWAY_SECONDS" + why),
        problems());
  }

  @Test
  void doNotStandForTheTokenBeforeNone() {
    variables.put("IPXE_JWT_SECRET", SECRET);
    variables.put("IPXE_AGENT_TOKEN_PREVIOUS", "0f7c9a1d2e");
    assertEquals(
        List.of("IPXE_AGENT_TOKEN_PREVIOUS: there is no token that it comes before"), problems());
  }

  @ParameterizedTest
  @CsvSource({
    "IPXE_JWT_SECRET,0123456789abcdef0123456789abcde,has to have at least 32 characters",
    "IPXE_JWT_SECRET,replace-me-with-a-secret-of-thirty-two,is the placeholder of an example",
    "IPXE_JWT_JWKS,jwks.json,has to be an absolute path",
    "IPXE_JWT_JWKS,http://id.example.com/jwks,has to be https",
    "IPXE_JWT_JWKS,https://me:word@id.example.com/jwks,has to be an absolute path",
    "IPXE_JWT_JWKS,https://id.example.com/jwks#a,has to be an absolute path",
    "IPXE_JWT_JWKS,file:///etc/passwd,has to be an absolute path",
    "IPXE_JWT_JWKS,/none/jwks.json,the file cannot be read",
    "IPXE_JWT_PUBLIC_KEY_FILE,/tmp,the file cannot be read",
    "IPXE_JWT_PUBLIC_KEY_FILE,key.pem,has to be an absolute path"
  })
  void cannotBe(String name, String value, String problem) {
    variables.put(name, value);
    assertEquals(1, problems().size(), problems().toString());
    assertTrue(problems().get(0).startsWith(name + ": " + problem), problems().toString());
    assertFalse(problems().toString().contains(value));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "IPXE_JWT_LEEWAY_SECONDS=301",
        "IPXE_JWT_JWKS_REFRESH_SECONDS=9",
        "IPXE_JWT_ISSUER=two words",
        "IPXE_JWT_AUDIENCE=a b"
      })
  void cannotBeBesideAKey(String setting) {
    variables.put("IPXE_JWT_SECRET", SECRET);
    String[] parts = setting.split("=");
    variables.put(parts[0], parts[1]);
    assertEquals(1, problems().size(), problems().toString());
    assertTrue(problems().get(0).startsWith(parts[0] + ": has to be "), problems().toString());
  }

  private JwtConfig.KeySource keys() throws ConfigException {
    return load().config().node().orElseThrow().jwt().orElseThrow().keys();
  }

  private List<String> problems() {
    return assertThrows(ConfigException.class, this::load).problems();
  }

  private LoadedConfig load() throws ConfigException {
    var merged = new JsonObject().put(RawConfig.VARIABLES, new JsonObject(variables));
    return new ConfigBinding(new RawConfig(merged)).bind();
  }
}
