package io.incudal.agent.config;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.vertx.core.json.JsonObject;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.HashMap;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class KnownSecretsTest {
  @TempDir Path directory;

  @Test
  void rememberTheTokensThatAFileHasHeld() throws Exception {
    Path file = directory.resolve("token");
    var secrets = new KnownSecrets(withTokenFile(file));
    assertEquals(List.of(new Secret("older")), secrets.refreshed());
    write(file, "first\n", 1_000);
    assertEquals(List.of(new Secret("older"), new Secret("first")), secrets.refreshed());
    write(file, "second\n", 2_000);
    List<Secret> all = List.of(new Secret("older"), new Secret("first"), new Secret("second"));
    assertEquals(all, secrets.refreshed());
    write(file, " ", 3_000);
    assertEquals(all, secrets.refreshed());
    assertEquals(all, secrets.known());
  }

  private static void write(Path file, String text, long modified) throws Exception {
    Files.writeString(file, text);
    Files.setLastModifiedTime(file, FileTime.fromMillis(modified));
  }

  private static AgentConfig withTokenFile(Path file) throws Exception {
    Files.writeString(file, "before");
    var variables = new HashMap<String, Object>();
    variables.put("IPXE_AGENT_TOKEN_FILE", file.toString());
    variables.put("IPXE_AGENT_TOKEN_PREVIOUS", "older");
    var merged = new JsonObject().put(RawConfig.VARIABLES, new JsonObject(variables));
    AgentConfig config = new ConfigBinding(new RawConfig(merged)).bind().config();
    Files.delete(file);
    assertEquals(Optional.of(file), config.node().orElseThrow().token().file());
    return config;
  }
}
