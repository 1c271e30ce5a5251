package io.incudal.agent.config;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The table of settings, and that every place that lists them lists them all. */
class SettingsTest {
  static List<Setting<?>> settings() {
    return ConfigBinding.settings();
  }

  @ParameterizedTest
  @MethodSource("settings")
  void hasADefaultThatIsValid(Setting<?> setting) {
    setting.fallback().ifPresent(setting.format()::read);
    assertFalse(setting.doc().isBlank());
  }

  @Test
  void namesEachSettingOnce() {
    var names = new TreeSet<String>();
    settings().forEach(setting -> assertTrue(names.add(setting.name()), setting.name()));
  }

  @ParameterizedTest
  @MethodSource("settings")
  void standsInTheExamplesWithItsDefault(Setting<?> setting) throws IOException {
    String usual = setting.fallback().orElse("");
    found("conf/agent.env.example", "^#?" + setting.name() + "=" + Pattern.quote(usual));
    found("conf/config.example.yaml", "^ *#?" + setting.key() + ": \"?" + Pattern.quote(usual));
  }

  @Test
  void standsInTheTableOfTheReadme() throws IOException {
    List<String> lines = Files.readAllLines(Path.of("README.md"));
    List<String> missing =
        settings().stream().map(SettingsTest::row).filter(row -> !lines.contains(row)).toList();
    assertEquals(List.of(), missing, "rows to paste into the README");
  }

  /** What the README has to say of a setting. */
  private static String row(Setting<?> setting) {
    String usual = setting.fallback().map(text -> "`" + text + "`").orElse("");
    return String.join(
        " | ",
        "| `" + setting.name() + "`",
        "`" + setting.path() + "`",
        usual,
        setting.doc() + " |");
  }

  private static void found(String file, String line) throws IOException {
    String text = Files.readString(Path.of(file));
    assertTrue(
        Pattern.compile(line, Pattern.MULTILINE).matcher(text).find(), file + " lacks " + line);
  }

  @Test
  void thereIsNoOtherVariableInTheExample() throws IOException {
    var known = new TreeSet<String>();
    settings().forEach(setting -> known.add(setting.name()));
    var given = new TreeSet<String>();
    Pattern.compile("^#?([A-Z_]+)=", Pattern.MULTILINE)
        .matcher(Files.readString(Path.of("conf/agent.env.example")))
        .results()
        .forEach(found -> given.add(found.group(1)));
    assertEquals(known, given);
  }

  @Test
  @DisplayName("B105: nothing but examples stands in the directory of the settings")
  void onlyExamplesAreKept() throws IOException {
    try (Stream<Path> files = Files.list(Path.of("conf"))) {
      assertEquals(
          List.of("agent.env.example", "config.example.yaml"),
          files.map(file -> file.getFileName().toString()).sorted().toList());
    }
    assertTrue(Files.readAllLines(Path.of(".gitignore")).contains(".env"));
  }
}
