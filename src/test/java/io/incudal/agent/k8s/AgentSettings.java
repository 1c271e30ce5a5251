package io.incudal.agent.k8s;

import io.incudal.agent.config.ConfigLoader;
import io.incudal.agent.config.ConfigSources;
import io.incudal.agent.config.LoadedConfig;
import io.incudal.agent.config.NodeConfig;
import io.vertx.core.Vertx;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/** The environment that a pod gives to the agent, as the agent understands it. */
record AgentSettings(LoadedConfig loaded) {
  private static final String NODE_ADDRESS = "192.0.2.1";

  /** Files of the pod that are not here are replaced by some of a temporary directory. */
  static AgentSettings of(Rendering rendering) throws IOException {
    Map<String, String> environment = new HashMap<>(rendering.config().getData());
    rendering
        .container("agent")
        .getEnv()
        .forEach(
            variable ->
                environment.put(
                    variable.getName(),
                    Optional.ofNullable(variable.getValue()).orElse(NODE_ADDRESS)));
    Path directory = Files.createTempDirectory("pod");
    Path token = Files.writeString(directory.resolve("token"), "a-token-of-a-test\n");
    environment.replace("IPXE_AGENT_TOKEN_FILE", token.toString());
    Vertx vertx = Vertx.vertx();
    try {
      var sources = new ConfigSources(Optional.empty(), directory.resolve(".env"), environment);
      return new AgentSettings(new ConfigLoader(vertx, sources).load().await());
    } finally {
      vertx.close().await();
      Files.delete(token);
      Files.delete(directory);
    }
  }

  NodeConfig node() {
    return loaded.config().node().orElseThrow();
  }
}
