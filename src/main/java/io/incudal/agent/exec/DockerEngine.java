package io.incudal.agent.exec;

import com.github.dockerjava.api.DockerClient;
import com.github.dockerjava.api.model.Version;
import com.github.dockerjava.core.DefaultDockerClientConfig;
import com.github.dockerjava.core.DockerClientImpl;
import com.github.dockerjava.core.RemoteApiVersion;
import com.github.dockerjava.transport.DockerHttpClient;
import com.github.dockerjava.zerodep.ZerodepDockerHttpClient;
import java.io.IOException;
import java.net.URI;
import java.time.Duration;

/** Makes clients of one Docker engine. Holds no connection. Thread-safe. */
final class DockerEngine {
  /** The API that this was written against; what is used of it is far older. */
  private static final RemoteApiVersion WANTED = RemoteApiVersion.create(1, 44);

  private static final Duration CONNECT = Duration.ofSeconds(5);

  /** A shell's stream keeps one for itself. */
  private static final int CONNECTIONS = 4;

  private final URI address;

  DockerEngine(URI address) {
    this.address = address;
  }

  /** Connects when it is first used. */
  DockerHttpClient http() {
    return new ZerodepDockerHttpClient.Builder()
        .dockerHost(address)
        .maxConnections(CONNECTIONS)
        .connectionTimeout(CONNECT)
        .build();
  }

  /** A client that speaks the version nearest to the wanted one that the engine speaks too. */
  DockerClient negotiate(DockerHttpClient http) {
    Version engine = client(http, RemoteApiVersion.unknown()).versionCmd().exec();
    RemoteApiVersion newest = RemoteApiVersion.parseConfigWithDefault(engine.getApiVersion());
    RemoteApiVersion oldest = RemoteApiVersion.parseConfigWithDefault(engine.getMinAPIVersion());
    return client(http, clamp(oldest, newest));
  }

  static void discard(DockerHttpClient http) {
    try {
      http.close();
    } catch (IOException broken) {
      // It was to be thrown away.
    }
  }

  private static RemoteApiVersion clamp(RemoteApiVersion oldest, RemoteApiVersion newest) {
    if (newest == RemoteApiVersion.unknown()) {
      return newest;
    }
    if (WANTED.isGreater(newest)) {
      return newest;
    }
    return oldest != RemoteApiVersion.unknown() && oldest.isGreater(WANTED) ? oldest : WANTED;
  }

  private DockerClient client(DockerHttpClient http, RemoteApiVersion version) {
    // Not createDefaultConfigBuilder: it takes settings from the environment and the home
    // directory.
    var config =
        new DefaultDockerClientConfig.Builder()
            .withDockerHost(address.toString())
            .withDockerTlsVerify(false)
            .withApiVersion(version)
            .build();
    return DockerClientImpl.getInstance(config, http);
  }
}
