package io.incudal.agent.k8s;

import io.fabric8.kubernetes.api.model.Probe;
import io.incudal.agent.lab.Cli;
import io.incudal.agent.lab.LabSettings;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/** A node with the pod of an overlay, and what an operator and an initiator do with it. */
final class StorageNode implements AutoCloseable {
  static final String IQN = "iqn.2026-07.com.controller:pc-01";
  private static final int LIMIT_SECONDS = 60;

  private final LabSettings lab = LabSettings.ofEnvironment();
  private final Path node = lab.images().resolve("node-" + UUID.randomUUID());
  private final Map<String, Path> directories = new HashMap<>();
  private final Rendering rendering;
  private final Pod.Host host;
  private String origin = "http://" + Pod.address() + ":4840";
  private List<String> options = List.of();
  private String token;
  private Pod pod;

  /** With tgtd, of the images for production. */
  static StorageNode stgt(Rendering rendering) throws IOException {
    LabSettings lab = LabSettings.ofEnvironment();
    Map<String, String> images = Map.of("agent", lab.value("LAB_POD_IMAGE"), "target", lab.image());
    return new StorageNode(rendering, new Pod.Host(Map.of(), images, List.of(), Map.of()));
  }

  /**
   * @param host what its directories lack is made
   */
  StorageNode(Rendering rendering, Pod.Host host) throws IOException {
    this.rendering = rendering;
    this.host = host;
    directories.putAll(host.directories());
    Files.createDirectory(node);
    for (var volume : rendering.pod().getVolumes()) {
      String name = volume.getName();
      if (volume.getEmptyDir() == null && !directories.containsKey(name)) {
        directories.put(name, Files.createDirectory(node.resolve(name)));
      }
    }
  }

  /** Makes the pod, also after another one; returns when its probes say that it is ready. */
  StorageNode start() throws IOException {
    if (pod != null) {
      pod.close();
    }
    var found = new Pod.Host(directories, host.images(), host.mounts(), host.commands());
    pod = Pod.start(rendering, found);
    await("the pod to be ready", this::ready);
    return this;
  }

  /** Takes the pod away, but not what it found on the node. */
  void end() {
    pod.close();
  }

  Pod pod() {
    return pod;
  }

  Path directory(String volume) {
    return directories.get(volume);
  }

  /** Replaces all of a Secret or ConfigMap at once, as a kubelet does: by moving a link. */
  void write(String volume, Map<String, String> files) throws IOException {
    Path mounted = directory(volume);
    Path content = Files.createTempDirectory(mounted, "..");
    for (var file : files.entrySet()) {
      Path written = Files.writeString(content.resolve(file.getKey()), file.getValue());
      Files.setPosixFilePermissions(written, PosixFilePermissions.fromString("r--------"));
    }
    Path link = Files.createSymbolicLink(mounted.resolve("..new"), content.getFileName());
    Files.move(link, mounted.resolve("..data"), StandardCopyOption.ATOMIC_MOVE);
    for (String file : files.keySet()) {
      if (!Files.exists(mounted.resolve(file))) {
        Files.createSymbolicLink(mounted.resolve(file), Path.of("..data", file));
      }
    }
  }

  StorageNode secret(String value) throws IOException {
    write("secret", Map.of("token", value + "\n"));
    return this;
  }

  /** The token of the calls from now on. */
  StorageNode caller(String value) {
    token = value;
    return this;
  }

  /**
   * From now on, calls go there.
   *
   * @param more options of {@code curl}
   */
  void caller(String url, List<String> more) {
    origin = url;
    options = more;
  }

  boolean ready() throws IOException {
    for (var container : rendering.pod().getContainers()) {
      List<Probe> probes =
          Stream.of(
                  container.getStartupProbe(),
                  container.getLivenessProbe(),
                  container.getReadinessProbe())
              .filter(probe -> probe != null)
              .toList();
      for (Probe probe : probes) {
        if (!pod.passes(container.getName(), probe)) {
          return false;
        }
      }
    }
    return true;
  }

  /** Returns the status; 0 when there is no answer. */
  int call(String method, String path, JsonObject body) throws IOException {
    List<String> words = new ArrayList<>(List.of("curl", "-s", "-m", "30", "-o", "/dev/null"));
    words.addAll(List.of("-w", "%{http_code}", "-X", method, "-d", body.encode()));
    words.addAll(List.of("-H", "Content-Type: application/json"));
    return Integer.parseInt(curl(words, path).text());
  }

  int get(String path) throws IOException {
    return call("GET", path, new JsonObject());
  }

  String body(String path) throws IOException {
    return curl(new ArrayList<>(List.of("curl", "-fsS", "-m", "30")), path).orFail();
  }

  private Cli.Output curl(List<String> words, String path) throws IOException {
    words.addAll(options);
    words.addAll(List.of("-H", "Authorization: Bearer " + token, origin + path));
    return pod.inNetwork(words.toArray(String[]::new));
  }

  /** A login of libiscsi's, with one of its tools. */
  Cli.Output login(String tool) throws IOException {
    String url = "iscsi://127.0.0.1:3260/" + IQN + "/1";
    return pod.inNetwork("timeout", "5", tool, "-i", "iqn.2026-01.io.incudal.test:initiator", url);
  }

  interface Condition {
    boolean holds() throws IOException;
  }

  void await(String what, Condition condition) throws IOException {
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(LIMIT_SECONDS);
    while (!condition.holds()) {
      if (System.nanoTime() > end) {
        throw new AssertionError(
            "in vain for " + what + "\n" + pod.log("agent") + "\n" + pod.log("target"));
      }
      try {
        Thread.sleep(100);
      } catch (InterruptedException stopped) {
        Thread.currentThread().interrupt();
        throw new AssertionError("interrupted", stopped);
      }
    }
  }

  @Override
  public void close() throws IOException {
    if (pod != null) {
      pod.close();
    }
    try (Stream<Path> all = Files.walk(node)) {
      for (Path path : all.sorted(Comparator.reverseOrder()).toList()) {
        Files.delete(path);
      }
    }
  }
}
