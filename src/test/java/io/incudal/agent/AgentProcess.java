package io.incudal.agent;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The agent as a process of its own, with nothing of this environment but what a test gives it. */
final class AgentProcess implements AutoCloseable {
  private static final Pattern PORT = Pattern.compile("http listening .*port=([0-9]+)");
  private static final int LIMIT_SECONDS = 60;

  private final Process process;
  private final Path output;

  private AgentProcess(Process process, Path output) {
    this.process = process;
    this.output = output;
  }

  /**
   * @param directory where it runs, and its output goes
   */
  static AgentProcess start(Path directory, Map<String, String> environment, String... arguments)
      throws IOException {
    Path output = Files.createTempFile(directory, "output", ".txt");
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(List.of("-cp", System.getProperty("agent.classpath", classes())));
    command.add(Main.class.getName());
    command.addAll(List.of(arguments));
    var builder =
        new ProcessBuilder(command)
            .directory(directory.toFile())
            .redirectErrorStream(true)
            .redirectOutput(output.toFile());
    builder.environment().clear();
    builder.environment().putAll(environment);
    return new AgentProcess(builder.start(), output);
  }

  /** What Maven gave this JVM, without the tests, whose log settings would hide the agent's. */
  private static String classes() {
    return System.getProperty("java.class.path").replaceAll("(^|:)[^:]*/test-classes(?=:|$)", "");
  }

  /** Waits for its end. */
  int exitCode() throws InterruptedException {
    if (!process.waitFor(LIMIT_SECONDS, TimeUnit.SECONDS)) {
      throw new AssertionError("the agent runs on");
    }
    return process.exitValue();
  }

  String output() throws IOException {
    return Files.readString(output);
  }

  /** Waits until it has said something. */
  Matcher awaitOutput(Pattern pattern) throws IOException, InterruptedException {
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(LIMIT_SECONDS);
    Matcher found = pattern.matcher(output());
    while (!found.find()) {
      if (System.nanoTime() > end || !process.isAlive()) {
        throw new AssertionError("not said: " + pattern + " in\n" + output());
      }
      Thread.sleep(20);
      found = pattern.matcher(output());
    }
    return found;
  }

  int port() throws IOException, InterruptedException {
    return Integer.parseInt(awaitOutput(PORT).group(1));
  }

  int status(String path, String token) throws IOException, InterruptedException {
    return send(request(path, token)).statusCode();
  }

  /** A request to be completed by the caller. */
  HttpRequest.Builder request(String path, String token) throws IOException, InterruptedException {
    return HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port() + path))
        .version(HttpClient.Version.HTTP_1_1)
        .header("Authorization", "Bearer " + token);
  }

  HttpResponse<String> send(HttpRequest.Builder request) throws IOException, InterruptedException {
    return HttpClient.newHttpClient().send(request.build(), BodyHandlers.ofString());
  }

  long pid() {
    return process.pid();
  }

  void terminate() {
    process.destroy();
  }

  @Override
  public void close() {
    process.destroyForcibly();
  }
}
