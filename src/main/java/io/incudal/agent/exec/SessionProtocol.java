package io.incudal.agent.exec;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.stream.Collectors;

/**
 * What the agent and {@code session.sh} have agreed on: how the shell is started, and how a request
 * is written. Replies are read by {@link SessionReply}. Pure functions.
 */
final class SessionProtocol {
  /**
   * Id of the reply that a shell gives unasked when it is ready: its exit code is the shell's pid.
   */
  static final long HELLO = 0;

  private static final String SCRIPT = script();
  private static final String TAG_VARIABLE = "INCUDAL_SESSION";
  private static final String END = "_end";

  private SessionProtocol() {}

  static List<String> argv(String tag) {
    return List.of("sh", "-c", SCRIPT, "sh", tag);
  }

  /** What the tools inherit, and by which their processes are known again. */
  static String environment(String tag) {
    return TAG_VARIABLE + "=" + tag;
  }

  /** The first line that a shell reads. */
  static byte[] greeting(String secret) {
    return (secret + "\n").getBytes(StandardCharsets.US_ASCII);
  }

  /**
   * A request's lines.
   *
   * @throws IllegalArgumentException when a word cannot be written in UTF-8
   */
  static byte[] request(long id, List<List<String>> steps) {
    var lines = new ByteArrayOutputStream(256);
    line(lines, Long.toString(id));
    line(lines, Integer.toString(steps.size()));
    for (List<String> step : steps) {
      line(lines, Integer.toString(step.size()));
      step.forEach(word -> line(lines, word));
    }
    return lines.toByteArray();
  }

  /** The step that ends what other shells have left running; its output is what does not die. */
  static List<String> end(List<ToolSession.Debt> debts) {
    var step = new java.util.ArrayList<String>(List.of(END));
    for (ToolSession.Debt debt : debts) {
      step.add(Long.toString(debt.pid()));
      step.add(debt.tag());
    }
    return step;
  }

  private static void line(ByteArrayOutputStream lines, String word) {
    try {
      // Not String.getBytes: it would send a question mark in place of half a character.
      ByteBuffer bytes = StandardCharsets.UTF_8.newEncoder().encode(CharBuffer.wrap(word));
      lines.write(bytes.array(), bytes.arrayOffset(), bytes.limit());
      lines.write('\n');
    } catch (CharacterCodingException malformed) {
      throw new IllegalArgumentException("an argument is not valid Unicode", malformed);
    }
  }

  /** Without its comments, so that a process listing in the container stays readable. */
  private static String script() {
    try (InputStream in = SessionProtocol.class.getResourceAsStream("session.sh")) {
      return new String(in.readAllBytes(), StandardCharsets.UTF_8)
          .lines()
          .filter(line -> !line.isBlank() && !line.stripLeading().startsWith("#"))
          .collect(Collectors.joining("\n"));
    } catch (IOException broken) {
      throw new UncheckedIOException(broken);
    }
  }
}
