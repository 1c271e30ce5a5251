package io.incudal.agent.exec;

import io.incudal.agent.lab.Cli;
import io.incudal.agent.lab.LabSettings;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

/**
 * A Docker engine that a test may freeze, kill and start again, with one container that just waits.
 *
 * <p>Its processes live in a pid namespace of their own, which ends with the test's JVM, however
 * that ends; containers outlive the engine's restarts in it.
 */
final class PrivateEngine implements AutoCloseable {
  static final String CONTAINER = "waiting";

  /** Starts the engine again whenever it has ended and nobody holds it down. */
  private static final String SUPERVISOR =
      "d=$1; shift; while [ -d \"$d\" ]; do [ -e \"$d/hold\" ] || dockerd \"$@\" >>\"$d/log\" 2>&1;"
          + " sleep 0.1; done";

  private static final String OWNED =
      "unshare --mount --pid --fork --kill-child --mount-proc --propagation slave bash -c \"$@\" &"
          + " tail --pid=\"$OWNER\" -f /dev/null & wait -n; kill -9 %1 2>/dev/null; wait;"
          + " rm -rf --one-file-system \"$3\"";

  private final Path directory;
  private final Process supervisor;
  private final String image;

  PrivateEngine() {
    LabSettings settings = LabSettings.ofEnvironment();
    try {
      directory = Files.createTempDirectory("exec-engine");
      supervisor = start();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    awaitAnswers();
    String image = settings.image();
    Cli.run(
            "sh",
            "-c",
            "docker -H \"$1\" save \"$2\" | docker -H \"$3\" load",
            "sh",
            settings.dockerHost(),
            image,
            address().toString())
        .orFail();
    this.image = image;
    container(CONTAINER, "no", "sleep inf").orFail();
  }

  private Process start() throws IOException {
    List<String> command = new ArrayList<>(List.of("setsid", "bash", "-c", OWNED, "owned"));
    command.addAll(List.of(SUPERVISOR, "supervisor", directory.toString()));
    command.addAll(
        List.of("--bridge=none", "--iptables=false", "--ip6tables=false", "--live-restore"));
    command.addAll(List.of("--exec-opt", "native.cgroupdriver=cgroupfs"));
    command.addAll(List.of("--cgroup-parent", "/" + directory.getFileName()));
    command.addAll(List.of("-H", address().toString(), "--data-root", directory + "/data"));
    command.addAll(List.of("--exec-root", directory + "/exec", "--pidfile", directory + "/pid"));
    var builder = new ProcessBuilder(command);
    builder.environment().put("OWNER", Long.toString(ProcessHandle.current().pid()));
    return builder
        .redirectErrorStream(true)
        .redirectOutput(directory.resolve("supervisor").toFile())
        .start();
  }

  /** Runs a container beside the one that waits. */
  Cli.Output container(String name, String restart, String script) {
    return docker(
        "run",
        "-d",
        "--name",
        name,
        "--restart",
        restart,
        "--network",
        "none",
        "--entrypoint",
        "sh",
        image,
        "-c",
        "exec " + script);
  }

  URI address() {
    return URI.create("unix://" + directory + "/docker.sock");
  }

  Path directory() {
    return directory;
  }

  Cli.Output docker(String... words) {
    var command = new ArrayList<String>(List.of("docker", "-H", address().toString()));
    command.addAll(List.of(words));
    return Cli.run(command);
  }

  /** Sends a signal such as {@code STOP} to the engine. */
  void signal(String name) {
    Cli.run("kill", "-" + name, Long.toString(pid())).orFail();
  }

  /** Kills the engine and keeps it down. */
  void kill() {
    try {
      Files.createFile(directory.resolve("hold"));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    ProcessHandle engine = ProcessHandle.of(pid()).orElseThrow();
    signal("KILL");
    engine.onExit().join();
  }

  void revive() {
    directory.resolve("hold").toFile().delete();
    awaitAnswers();
  }

  void awaitAnswers() {
    try {
      Eventually.holds("the engine answers", () -> docker("version").ok());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException(e);
    }
  }

  /** As seen from here, not from its own namespace. */
  private long pid() {
    return supervisor
        .descendants()
        .filter(process -> process.info().command().orElse("").endsWith("/dockerd"))
        .findFirst()
        .orElseThrow()
        .pid();
  }

  @Override
  public void close() throws IOException {
    supervisor.descendants().forEach(ProcessHandle::destroyForcibly);
    supervisor.destroyForcibly().onExit().join();
    Cli.run(
        "sh",
        "-c",
        "grep -F \"$1/\" /proc/self/mounts | cut -d' ' -f2 | sort -r | xargs -r umount -l",
        "sh",
        directory.toString());
    Cli.run(
        "sh",
        "-c",
        "find /sys/fs/cgroup -depth -type d -path \"*/$1*\" -exec rmdir {} + ; :",
        "sh",
        directory.getFileName().toString());
    try (Stream<Path> all = Files.walk(directory)) {
      all.sorted(Comparator.reverseOrder()).forEach(path -> path.toFile().delete());
    }
  }
}
