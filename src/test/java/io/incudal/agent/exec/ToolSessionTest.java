package io.incudal.agent.exec;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.incudal.agent.bus.AgentException;
import io.incudal.agent.bus.ErrorCode;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The real script, in each POSIX shell that is there. */
@ParameterizedClass
@MethodSource("shells")
class ToolSessionTest {
  private static final Duration LIMIT = Duration.ofSeconds(20);
  private static final int OUTPUT = 1 << 20;

  private final LocalShells host;
  private final ToolSession session;

  ToolSessionTest(String shell) {
    this.host = new LocalShells(shell.split(" "));
    this.session = ToolSession.open(host, LIMIT, OUTPUT);
  }

  /** What containers have as {@code sh}: Debian's, Alpine's, and some others'. */
  static Stream<String> shells() {
    return Stream.of("dash", "busybox sh", "bash --posix")
        .filter(shell -> Files.exists(Path.of("/usr/bin", shell.split(" ")[0])));
  }

  @AfterEach
  void endTheShell() {
    session.close();
    host.killAll();
  }

  @Test
  void returnsWhatAToolPrintsOnBothStreams() throws Exception {
    assertEquals(
        new ToolResult(0, 3, "out\n", "err\n"), run("sh", "-c", "echo out; echo err >&2; exit 3"));
  }

  @Test
  void runsStepsInOrderInOneRoundTrip() throws Exception {
    ToolResult result =
        session.run(
            List.of(List.of("echo", "a"), List.of("echo", "b"), List.of("echo", "c")), LIMIT);
    assertEquals(new ToolResult(2, 0, "a\nb\nc\n", ""), result);
  }

  @Test
  void stopsAtTheFirstStepThatFails() throws Exception {
    ToolResult result =
        session.run(
            List.of(List.of("echo", "a"), List.of("sh", "-c", "exit 22"), List.of("echo", "c")),
            LIMIT);
    assertEquals(new ToolResult(1, 22, "a\n", ""), result);
    assertEquals("next\n", run("echo", "next").stdout());
  }

  @Test
  void saysThatThereIsNoSuchTool() throws Exception {
    assertEquals(127, run("no-such-tool-at-all").exitCode());
  }

  @Test
  void givesToolsNoInput() throws Exception {
    assertEquals("", run("cat").stdout());
  }

  @Test
  void hidesItsSecretFromTools() throws Exception {
    String seen = run("sh", "-c", "cat /proc/$PPID/cmdline /proc/$PPID/environ; env; set").stdout();
    assertFalse(seen.contains("_secret="), "the shell's variables are not exported");
    // Four uuids: the tag, as an argument and in two environments and in set; none is the secret.
    assertEquals(
        1,
        Stream.of(seen.split("[^0-9a-f-]+"))
            .filter(word -> word.length() == 36)
            .distinct()
            .count());
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        " ",
        "'",
        "\"",
        "\\",
        "\\n",
        "$HOME",
        "$(touch /tmp/x)",
        "`id`",
        "*",
        "?",
        "~",
        "-n",
        "--",
        "a b  c",
        "\t",
        ";",
        "|| true",
        "& ",
        "#",
        "!",
        "{a,b}",
        "é",
        "日本語",
        "😀",
        "\u0081\u0088",
        "\r",
        "=",
        "%s"
      })
  void passesArgumentsAsTheyAre(String word) throws Exception {
    assertEquals("<" + word + ">", run("printf", "<%s>", word).stdout());
  }

  @Test
  void survivesEveryMixtureOfArgumentsOutputsAndExitCodes() throws Exception {
    var random = new Random(20260727);
    for (int i = 0; i < 60; i++) {
      var words = new ArrayList<String>();
      for (int n = random.nextInt(6); n >= 0; n--) {
        words.add(text(random, random.nextInt(random.nextInt(20) == 0 ? 5000 : 40)));
      }
      int exitCode = random.nextInt(256);
      String imitation = "\n" + session.debt().tag() + " " + (i + 1) + " 0 0\n";
      var step = new ArrayList<String>(List.of("sh", "-c"));
      step.add(
          "r=$1 m=$2; shift 2; for a; do printf '%s|' \"$a\"; printf '%s' \"$m$a\" >&2; done; exit"
              + " \"$r\"");
      step.addAll(List.of("sh", "" + exitCode, imitation.replace("\n", "")));
      step.addAll(words);
      ToolResult result = session.run(List.of(step), LIMIT);
      assertEquals(exitCode, result.exitCode());
      assertEquals(String.join("|", words) + "|", result.stdout());
      assertTrue(result.stderr().endsWith(words.get(words.size() - 1)));
    }
  }

  @Test
  void returnsLargeOutputsOfBothStreamsWhole() throws Exception {
    ToolResult result =
        run(
            "sh",
            "-c",
            "head -c 900000 /dev/zero | tr '\\0' x; head -c 900000 /dev/zero | tr '\\0' y >&2");
    assertEquals("x".repeat(900000), result.stdout());
    assertEquals("y".repeat(900000), result.stderr());
  }

  @Test
  void failsClearlyWhenAToolPrintsWithoutEnd() throws Exception {
    var failure =
        assertThrows(
            AgentException.class, () -> run("sh", "-c", "head -c 3000000 /dev/zero | tr '\\0' x"));
    assertEquals(ErrorCode.COMMAND_FAILED, failure.code());
    assertEquals("next\n", run("echo", "next").stdout());
  }

  @Test
  void refusesWordsThatAreNotUnicode() {
    assertThrows(IllegalArgumentException.class, () -> run("echo", "\ud800"));
  }

  @Test
  void losesACommandThatRunsPastItsLimit() {
    var lost =
        assertThrows(
            ToolSession.Lost.class,
            () -> session.run(List.of(List.of("sleep", "60")), Duration.ofMillis(100)));
    assertTrue(lost.late());
  }

  @Test
  void losesACommandWhoseShellDies() {
    var lost =
        assertThrows(
            ToolSession.Lost.class, () -> run("sh", "-c", "kill -9 $PPID; exec sleep 0.05"));
    assertFalse(lost.late());
    assertFalse(session.alive());
  }

  @Test
  void endsWhatAnotherSessionLeftWithAllThatItStarted() throws Exception {
    ToolSession other = ToolSession.open(host, LIMIT, OUTPUT);
    assertThrows(
        ToolSession.Lost.class,
        () ->
            other.run(
                List.of(List.of("sh", "-c", "sleep 60 & (sleep 60; :) & sleep 60; :")),
                Duration.ofMillis(200)));
    other.close();
    assertFalse(TaggedProcesses.find(other.debt().tag()).isEmpty());
    ToolResult ended = session.run(List.of(SessionProtocol.end(List.of(other.debt()))), LIMIT);
    assertEquals(new ToolResult(0, 0, "", ""), ended);
    assertEquals(List.of(), TaggedProcesses.find(other.debt().tag()));
  }

  @Test
  void endsTheOrphanOfAShellThatWasKilled() throws Exception {
    ToolSession other = ToolSession.open(host, LIMIT, OUTPUT);
    assertThrows(
        ToolSession.Lost.class,
        () ->
            other.run(
                List.of(List.of("sh", "-c", "kill -9 $PPID; exec sleep 60 >/dev/null 2>&1")),
                LIMIT));
    assertFalse(TaggedProcesses.find(other.debt().tag()).isEmpty());
    session.run(List.of(SessionProtocol.end(List.of(other.debt()))), LIMIT);
    assertEquals(List.of(), TaggedProcesses.find(other.debt().tag()));
  }

  @Test
  void leavesAProcessAloneThatGotTheSameProcessId() throws Exception {
    Process stranger = new ProcessBuilder("sleep", "60").start();
    try {
      var stale = new ToolSession.Debt(stranger.pid(), "a-tag-that-it-does-not-carry");
      assertTrue(session.run(List.of(SessionProtocol.end(List.of(stale))), LIMIT).ok());
      assertTrue(stranger.isAlive());
    } finally {
      stranger.destroyForcibly();
    }
  }

  private ToolResult run(String... step) throws ToolSession.Lost {
    return session.run(List.of(List.of(step)), LIMIT);
  }

  private static String text(Random random, int length) {
    String alphabet = "ab '\"\\$`*?[]{}()<>|&;#!~=%\t\r-éß日😀\u0001\u007f\u0081\u0085\u0088\u009f";
    int[] points = alphabet.codePoints().toArray();
    return random
        .ints(length, 0, points.length)
        .map(i -> points[i])
        .collect(StringBuilder::new, StringBuilder::appendCodePoint, StringBuilder::append)
        .toString();
  }
}
