package io.incudal.agent;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.nio.file.Path;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class CommandLineTest {
  @ParameterizedTest
  @CsvSource({
    "-once, ONCE",
    "--once, ONCE",
    "-version, VERSION",
    "--version, VERSION",
    "-help, HELP",
    "--help, HELP",
    "-h, HELP"
  })
  void takesOneHyphenOrTwo(String argument, CommandLine.Mode mode) {
    assertEquals(new CommandLine(mode, Optional.empty()), CommandLine.parse(argument));
  }

  @Test
  void runsWithTheNamedFile() {
    var expected = new CommandLine(CommandLine.Mode.RUN, Optional.of(Path.of("/etc/a b.yaml")));
    assertEquals(expected, CommandLine.parse("-config", "/etc/a b.yaml"));
    assertEquals(expected, CommandLine.parse("--config", "/etc/a b.yaml"));
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "---once", "once", "--onc", "-v", "--config"})
  void refusesWhatItDoesNotKnow(String argument) {
    assertThrows(IllegalArgumentException.class, () -> CommandLine.parse(argument));
  }
}
