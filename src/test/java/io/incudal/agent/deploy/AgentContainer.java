package io.incudal.agent.deploy;

import io.incudal.agent.RunningAgent.Answer;
import io.incudal.agent.lab.Cli;
import io.incudal.agent.lab.LabSettings;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.Predicate;

/**
 * The agent's image as a node runs it: a read-only root, no capabilities, a user that is not root
 * and the group of the Docker socket; on a port of the loopback address. Every method blocks.
 */
final class AgentContainer implements AutoCloseable {
  /** The image's user. */
  static final int USER = 4840;

  static final String TOKEN = "open-sesame-and-close-behind-you";

  /** Where the directory of the Docker socket is mounted. */
  static final String ENGINE = "/run/engine";

  private static final Duration LIMIT = Duration.ofSeconds(60);

  private final HttpClient client =
      HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
  private final LabSettings lab;
  private final String name = "incudal-agent-" + UUID.randomUUID().toString().substring(0, 8);
  private final int port = freePort();

  private AgentContainer(LabSettings lab) {
    this.lab = lab;
  }

  /**
   * Starts it and waits until it answers.
   *
   * @param settings of the agent, by the names of its environment
   * @param mounts directories of the engine's host and where the agent sees them, as {@code
   *     from:to}
   */
  static AgentContainer start(Map<String, String> settings, List<String> mounts) {
    LabSettings lab = LabSettings.ofEnvironment();
    var agent = new AgentContainer(lab);
    try {
      agent.run(settings, mounts);
      agent.await("/healthz", answer -> answer.status() == 200);
      return agent;
    } catch (RuntimeException | AssertionError e) {
      agent.close();
      throw e;
    }
  }

  private void run(Map<String, String> settings, List<String> mounts) {
    List<String> words =
        new ArrayList<>(List.of("run", "-d", "--name", name, "--network", "host", "--read-only"));
    words.addAll(List.of("--tmpfs", "/tmp", "--cap-drop", "ALL"));
    words.addAll(List.of("--security-opt", "no-new-privileges", "--group-add", group(lab)));
    mounts.forEach(mount -> words.addAll(List.of("-v", mount)));
    words.addAll(List.of("-e", "IPXE_AGENT_HOST=127.0.0.1", "-e", "IPXE_AGENT_PORT=" + port));
    words.addAll(List.of("-e", "IPXE_AGENT_TOKEN=" + TOKEN));
    words.addAll(
        List.of("-e", "IPXE_DOCKER_HOST=unix://" + ENGINE + "/" + socket(lab).getFileName()));
    settings.forEach((setting, value) -> words.addAll(List.of("-e", setting + "=" + value)));
    words.add(image(lab));
    docker(lab, words).orFail();
  }

  /** The image that {@code scripts/build-image.sh} made for these tests. */
  static String image(LabSettings lab) {
    return lab.value("LAB_AGENT_IMAGE");
  }

  static Path socket(LabSettings lab) {
    return Path.of(URI.create(lab.dockerHost()).getPath());
  }

  private static String group(LabSettings lab) {
    try {
      return Files.getAttribute(socket(lab), "unix:gid").toString();
    } catch (IOException missing) {
      throw new UncheckedIOException(missing);
    }
  }

  /** Makes a directory that the image's user may write to. */
  static Path directory(Path path) {
    try {
      Files.createDirectories(path);
      Files.setAttribute(path, "unix:uid", USER);
      return path;
    } catch (IOException failure) {
      throw new UncheckedIOException(failure);
    }
  }

  static Cli.Output docker(LabSettings lab, List<String> words) {
    List<String> command = new ArrayList<>(List.of("docker", "-H", lab.dockerHost()));
    command.addAll(words);
    return Cli.run(command);
  }

  Answer get(String path) {
    return send(request(path).GET());
  }

  Answer post(String path, JsonObject body) {
    return send(
        request(path)
            .header("Content-Type", "application/json")
            .POST(BodyPublishers.ofString(body.encode())));
  }

  Answer delete(String path) {
    return send(request(path).DELETE());
  }

  /** Asks again and again until the answer is right. */
  Answer await(String path, Predicate<Answer> right) {
    long end = System.nanoTime() + LIMIT.toNanos();
    while (true) {
      String last;
      try {
        Answer answer = get(path);
        if (right.test(answer)) {
          return answer;
        }
        last = answer.status() + " " + answer.body();
      } catch (UncheckedIOException notYet) {
        last = notYet.getMessage();
      }
      if (System.nanoTime() > end) {
        throw new AssertionError("still " + last + " from " + path + "; its log:\n" + log());
      }
      pause();
    }
  }

  /** What it printed so far. */
  String log() {
    return docker(lab, List.of("logs", name)).text();
  }

  /** A file of {@code /proc/1}, read from beside it: it has no program to read with. */
  String process(String file) {
    List<String> beside = List.of("run", "--rm", "--network", "none", "--pid", "container:" + name);
    List<String> words = new ArrayList<>(beside);
    words.addAll(List.of("--cap-add", "SYS_PTRACE", "--entrypoint", "cat", lab.image()));
    words.add("/proc/1/" + file);
    return docker(lab, words).orFail();
  }

  /** Ends it as an engine does; returns its exit code. */
  int stop() {
    docker(lab, List.of("stop", "-t", "40", name)).orFail();
    return Integer.parseInt(
        docker(lab, List.of("inspect", "-f", "{{.State.ExitCode}}", name)).orFail());
  }

  private HttpRequest.Builder request(String path) {
    return HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + path))
        .timeout(LIMIT)
        .header("Authorization", "Bearer " + TOKEN);
  }

  private Answer send(HttpRequest.Builder request) {
    try {
      var response = client.send(request.build(), BodyHandlers.ofString());
      return new Answer(response.statusCode(), response.body(), response);
    } catch (IOException failure) {
      throw new UncheckedIOException(failure);
    } catch (InterruptedException stopped) {
      Thread.currentThread().interrupt();
      throw new AssertionError("interrupted", stopped);
    }
  }

  private static void pause() {
    try {
      Thread.sleep(50);
    } catch (InterruptedException stopped) {
      Thread.currentThread().interrupt();
      throw new AssertionError("interrupted", stopped);
    }
  }

  /** Below the range from which the kernel gives out ports, so that nobody takes it meanwhile. */
  private static int freePort() {
    while (true) {
      int candidate = ThreadLocalRandom.current().nextInt(20_000, 32_000);
      try (ServerSocket probe = new ServerSocket(candidate, 1, InetAddress.getLoopbackAddress())) {
        return probe.getLocalPort();
      } catch (IOException taken) {
        // another one
      }
    }
  }

  @Override
  public void close() {
    docker(lab, List.of("rm", "-f", name));
  }
}
