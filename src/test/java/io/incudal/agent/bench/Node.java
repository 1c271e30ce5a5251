package io.incudal.agent.bench;

import io.incudal.agent.lab.Cli;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * The agent under test and its lab, as {@code scripts/bench} describes them in the environment.
 *
 * @param pid of the agent
 */
record Node(int port, String token, long pid, String container, Path images) {
  static final String BASE = "iqn.2026-07.com.example";

  static Node ofEnvironment() {
    return new Node(
        Integer.parseInt(env("BENCH_PORT")),
        env("BENCH_TOKEN"),
        Long.parseLong(env("BENCH_PID")),
        env("IPXE_ISCSI_CONTAINER"),
        Path.of(env("IPXE_DISK_DIR")));
  }

  static String env(String name) {
    String value = System.getenv(name);
    if (value == null) {
      throw new IllegalStateException(name + " is not set: run scripts/bench");
    }
    return value;
  }

  Load load() {
    return new Load(port, token);
  }

  HttpCaller caller() throws IOException {
    return new HttpCaller(port, token);
  }

  /** Runs a script of {@code sh} in the container; the lab's DOCKER_HOST is in the environment. */
  String sh(String script, Object... arguments) {
    List<String> command = new ArrayList<>(List.of("docker", "exec", container));
    command.addAll(List.of("sh", "-c", script, "sh"));
    for (Object argument : arguments) {
      command.add(argument.toString());
    }
    return Cli.run(command).orFail();
  }

  /** Resident memory of the agent in MiB. */
  double memory() throws IOException {
    for (String line : Files.readAllLines(Path.of("/proc/" + pid + "/status"))) {
      if (line.startsWith("VmRSS:")) {
        return Long.parseLong(line.replaceAll("\\D", "")) / 1024.0;
      }
    }
    throw new IOException("the agent is gone");
  }
}
