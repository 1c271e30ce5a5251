package io.incudal.agent;

import io.incudal.agent.config.AgentConfig;
import io.incudal.agent.config.ConfigLoader;
import io.incudal.agent.config.ConfigSources;
import io.incudal.agent.config.KnownSecrets;
import io.vertx.core.Vertx;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Comparator;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Predicate;
import java.util.stream.Stream;

/**
 * The whole agent in this JVM, as {@code Main} would run it, on a free port of the loopback
 * address; and a client for it. Every method blocks.
 */
public final class RunningAgent implements AutoCloseable {
  public static final String TOKEN = "correct-horse-battery-staple";
  private static final Duration LIMIT = Duration.ofSeconds(120);

  private final HttpClient client =
      HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
  private final Map<String, String> settings;
  private final Path home;
  private Agent agent;

  private RunningAgent(Path home, Map<String, String> settings) {
    this.home = home;
    this.settings = settings;
  }

  /** What came back. */
  public record Answer(int status, String body, HttpResponse<String> response) {
    public JsonObject json() {
      return new JsonObject(body);
    }

    public JsonArray array() {
      return new JsonArray(body);
    }

    /** The body of an answer that must be good. */
    public Answer ok() {
      if (status != 200) {
        throw new AssertionError("status " + status + ": " + body);
      }
      return this;
    }
  }

  /**
   * @param given settings by name, on top of a token, a free port and directories of its own
   */
  public static RunningAgent start(Map<String, String> given) {
    try {
      Path home = Files.createTempDirectory("agent");
      Map<String, String> settings = new HashMap<>();
      settings.put("IPXE_AGENT_HOST", "127.0.0.1");
      settings.put("IPXE_AGENT_PORT", "0");
      settings.put("IPXE_AGENT_TOKEN", TOKEN);
      settings.put("IPXE_LOG_FILE", home.resolve("log/ops.jsonl").toString());
      settings.put("IPXE_DISK_DIR", Files.createDirectory(home.resolve("images")).toString());
      settings.putAll(given);
      var running = new RunningAgent(home, settings);
      running.start();
      return running;
    } catch (IOException failure) {
      throw new UncheckedIOException(failure);
    }
  }

  /** Starts it again after {@link #stop}, with the same settings and files, on another port. */
  public void start() {
    Vertx vertx = Agent.vertx();
    var sources = new ConfigSources(Optional.empty(), home.resolve(".env"), settings);
    AgentConfig config = new ConfigLoader(vertx, sources).load().await().config();
    vertx.close().await();
    agent = new Agent(config, new KnownSecrets(config));
    agent.start().await();
  }

  /** Ends it as SIGTERM would. */
  public void stop() {
    try {
      agent.stop().await(LIMIT.toSeconds(), TimeUnit.SECONDS);
    } catch (TimeoutException late) {
      throw new AssertionError("the agent did not stop", late);
    }
  }

  public void restart() {
    stop();
    start();
  }

  /** Waits until the back end answers and the start-up scan is done. */
  public RunningAgent awaitReady() {
    await("/readyz", answer -> answer.status() == 200);
    return this;
  }

  /** Asks again and again until the answer is right. */
  public Answer await(String path, Predicate<Answer> right) {
    long end = System.nanoTime() + LIMIT.toNanos();
    Answer answer = get(path);
    while (!right.test(answer)) {
      if (System.nanoTime() > end) {
        throw new AssertionError(
            "still " + answer.status() + " from " + path + ": " + answer.body());
      }
      try {
        Thread.sleep(50);
      } catch (InterruptedException stopped) {
        Thread.currentThread().interrupt();
        throw new AssertionError("interrupted", stopped);
      }
      answer = get(path);
    }
    return answer;
  }

  public Answer get(String path) {
    return send(request(path).GET());
  }

  public Answer delete(String path) {
    return send(request(path).DELETE());
  }

  public Answer post(String path, JsonObject body) {
    return send(
        request(path)
            .header("Content-Type", "application/json")
            .POST(BodyPublishers.ofString(body.encode())));
  }

  /** A request with the token, to be completed by the caller. */
  public HttpRequest.Builder request(String path) {
    return HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + agent.port() + path))
        .timeout(LIMIT)
        .header("Authorization", "Bearer " + TOKEN);
  }

  public Answer send(HttpRequest.Builder request) {
    try {
      HttpResponse<String> response = client.send(request.build(), BodyHandlers.ofString());
      return new Answer(response.statusCode(), response.body(), response);
    } catch (IOException failure) {
      throw new UncheckedIOException(failure);
    } catch (InterruptedException stopped) {
      Thread.currentThread().interrupt();
      throw new AssertionError("interrupted", stopped);
    }
  }

  public int port() {
    return agent.port();
  }

  public Path images() {
    return Path.of(settings.get("IPXE_DISK_DIR"));
  }

  public Path auditLog() {
    return Path.of(settings.get("IPXE_LOG_FILE"));
  }

  public String iqn(String suffix) {
    return settings.getOrDefault("IPXE_IQN_BASE", "iqn.2026-07.com.controller") + ":" + suffix;
  }

  @Override
  public void close() {
    stop();
    try (Stream<Path> all = Files.walk(home)) {
      for (Path path : all.sorted(Comparator.reverseOrder()).toList()) {
        Files.delete(path);
      }
    } catch (IOException failure) {
      throw new UncheckedIOException(failure);
    }
  }
}
