package io.incudal.agent.deploy;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.incudal.agent.lab.Cli;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code compose.yaml}, on a host that has nothing yet but Docker and the images. */
@Tag("image")
class ComposeIT {
  private static final Path COMPOSE = Path.of("src/main/docker");
  private static final Path WHOLE_STACK = Path.of("src/test/resources/deploy/whole-stack.sh");
  private static final Path API = Path.of("src/docs/api.md");

  /** Notes each call's status; Compose is another program on Debian 12. */
  private static final String PREAMBLE =
      """
      set -euo pipefail
      curl() { command curl -m 60 -w '%{stderr}\\nSTATUS %{http_code} %{url_effective}\\n' "$@"; }
      docker() {
        if [ "$1" = compose ]; then shift; docker-compose "$@"; else command docker "$@"; fi
      }
      ready() { command curl -fs -m 2 http://localhost:4840/readyz; }
      """;

  private static final String AFRESH =
      """
      cd "$CHECKOUT"
      [ ! -e src/main/docker/.env ] || (cd src/main/docker && docker compose down)
      """;

  private static final String UNTIL_READY =
      """
      for _ in $(seq 300); do ! ready || break; sleep 0.1; done
      ready || { docker logs incudal-agent; docker ps -a; exit 1; }
      """;

  @TempDir static Path checkout;

  @BeforeAll
  static void bringUpHost() throws IOException {
    Cli.run("scripts/lab", "node", "up").orFail();
    Cli.run("cp", "-r", "--parents", COMPOSE.toString(), checkout.toString()).orFail();
  }

  @AfterAll
  static void takeDownHost() {
    Cli.run("scripts/lab", "node", "down").orFail();
  }

  @Test
  @DisplayName("B106: every documented call gives its documented status, after a fresh start")
  void everyDocumentedCallGivesItsStatus() throws IOException {
    var readme = DocumentedCalls.of(Files.readString(Path.of("README.md")));
    List<Integer> expected = new ArrayList<>(readme.statuses());
    var script = new StringBuilder(PREAMBLE);
    for (String block : readme.blocks()) {
      boolean starts = DocumentedCalls.startsAgent(block);
      script.append(starts ? AFRESH : "").append(block).append(starts ? UNTIL_READY : "");
    }
    if (Files.exists(API)) {
      var reference = DocumentedCalls.of(Files.readString(API));
      expected.addAll(reference.statuses());
      script.append(files(reference));
      reference.blocks().forEach(script::append);
    }
    assertTrue(expected.size() >= 7, "calls found: " + expected);
    String output = onHost(script.toString()).orFail();
    List<Integer> seen =
        Pattern.compile("(?m)^STATUS ([0-9]{3}) ")
            .matcher(output)
            .results()
            .map(result -> Integer.parseInt(result.group(1)))
            .toList();
    assertEquals(expected, seen, output);
    assertTrue(output.contains("Target:iqn.2026-07.com.controller:worker-01"), output);
  }

  /** What the reference takes for granted. */
  private static String files(DocumentedCalls calls) {
    var script = new StringBuilder("cd /home/iscsi_img\n");
    for (String member : List.of("master", "iso")) {
      calls.named(member).forEach(name -> script.append("truncate -s 1M " + name + "\n"));
    }
    return script.toString();
  }

  @Test
  void servesADiskWithTlsAndJwts() throws IOException {
    String steps = onHost(Files.readString(WHOLE_STACK)).orFail();
    assertTrue(steps.contains("200 /lun/disk"), steps);
    assertTrue(steps.contains("Total size:67108864"), steps);
    assertTrue(steps.contains("\"principal\":\"control-plane\""), steps);
    assertTrue(steps.contains("403 /metrics") && steps.contains("200 /metrics"), steps);
  }

  @Test
  void refusesToStartWithoutAToken() throws IOException {
    Cli.Output run = compose("stgt", "DOCKER_GID=1\n");
    assertFalse(run.ok());
    assertTrue(run.text().contains("openssl rand -hex 32"), run.text());
  }

  @Test
  @DisplayName("B40: mounts the directory of the Docker socket, never the socket")
  void mountsDirectoriesOnly() throws IOException {
    for (String backend : List.of("stgt", "lio")) {
      String config =
          compose(backend, "DOCKER_GID=1\nIPXE_AGENT_TOKEN=0123456789abcdef\n").orFail();
      assertTrue(config.contains("IPXE_BACKEND: " + backend), config);
      assertTrue(config.contains("source: /run\n"), config);
      assertFalse(Pattern.compile("(source: |- )[^ ]*\\.sock(:|$)").matcher(config).find(), config);
    }
  }

  /** What Compose makes of the file and an {@code .env}. */
  private static Cli.Output compose(String backend, String env) throws IOException {
    Path directory = Files.createTempDirectory(checkout, "compose");
    Cli.run("cp", "-rT", COMPOSE.toString(), directory.toString()).orFail();
    Files.writeString(directory.resolve(".env"), "COMPOSE_PROFILES=" + backend + "\n" + env);
    return onHost("cd " + directory + " && docker-compose config");
  }

  private static Cli.Output onHost(String script) throws IOException {
    Path file = Files.writeString(Files.createTempFile(checkout, "script", ".sh"), script);
    String change = "export CHECKOUT=$0; cd $0 && exec bash $1";
    return Cli.run(
        List.of(
            "scripts/lab",
            "node",
            "run",
            "bash",
            "-c",
            change,
            checkout.toString(),
            file.toString()));
  }
}
