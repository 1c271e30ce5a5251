package io.incudal.agent.target.lio;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

class ScriptTest {
  /** What a tool session carries, whatever the locale of its shell. */
  @ParameterizedTest
  @EnumSource
  void travelsOnOneLineOfAscii(Script script) {
    for (String word : script.step(List.of())) {
      assertTrue(StandardCharsets.US_ASCII.newEncoder().canEncode(word), script.name());
      assertEquals(-1, word.indexOf('\n'), script.name());
    }
  }

  /** The shell has to find the script's text just as it is in its file, and the arguments. */
  @ParameterizedTest
  @CsvSource({
    "LIST, list.sh",
    "PROBE, probe.sh",
    "EXPORT, export.sh",
    "REFUSE, refuse.sh",
    "ADMIT, admit.sh",
    "REMOVE, remove.sh"
  })
  void arrivesInTheShellAsItWasWritten(Script script, String file) throws Exception {
    List<String> step = new ArrayList<>(script.step(List.of("one", "two words", "$(three)")));
    step.set(2, step.get(2).replace("eval", "printf '%s|' \"$#\" \"$3\""));
    Process shell = new ProcessBuilder(step).start();
    String text;
    try (InputStream in = Script.class.getResourceAsStream(file)) {
      text = new String(in.readAllBytes(), StandardCharsets.US_ASCII).stripTrailing();
    }
    String seen = new String(shell.getInputStream().readAllBytes(), StandardCharsets.US_ASCII);
    assertEquals("3|$(three)|" + text + "|", seen);
  }
}
