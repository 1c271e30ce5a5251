package io.incudal.agent;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.incudal.agent.bus.ErrorCode;
import io.incudal.agent.config.ConfigLoader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** What the documents name exists, and what they have to name they name. */
class DocumentsTest {
  private static final Path DIRECTORY = Path.of("src/docs");
  private static final Pattern FENCED = Pattern.compile("(?ms)^```.*?^```$");

  static List<Path> documents() throws IOException {
    try (Stream<Path> files = Files.list(DIRECTORY)) {
      return Stream.concat(Stream.of(Path.of("README.md")), files.sorted()).toList();
    }
  }

  @ParameterizedTest
  @MethodSource("documents")
  void namesOnlySettingsThatExist(Path document) throws IOException {
    Set<String> named = found("\\b(?:IPXE|INCUDAL)_[A-Z_]*[A-Z]\\b(?!_)", document);
    named.removeAll(found("\\b(?:IPXE|INCUDAL)_[A-Z_]+\\b", ConfigLoader.reference()));
    // The installer has some of its own.
    named.removeAll(found("\\bINCUDAL_[A-Z_]+\\b", Path.of("scripts/install.sh")));
    assertEquals(Set.of(), named);
  }

  @ParameterizedTest
  @MethodSource("documents")
  void namesOnlyErrorsThatExist(Path document) throws IOException {
    Set<String> named = found("(?<=`)[45][0-9][0-9] [a-z]+(?:_[a-z]+)*(?=`)", document);
    named.removeAll(errors().collect(Collectors.toSet()));
    assertEquals(Set.of(), named);
  }

  @ParameterizedTest
  @MethodSource("documents")
  void linksLeadSomewhere(Path document) throws IOException {
    Set<String> dead = new TreeSet<>();
    for (String link : found("(?<=]\\()(?!https?:)[^)\\s]+", document)) {
      String[] parts = link.split("#", 2);
      Path file = parts[0].isEmpty() ? document : document.resolveSibling(parts[0]);
      if (!Files.exists(file) || (parts.length == 2 && !anchors(file).contains(parts[1]))) {
        dead.add(link);
      }
    }
    assertEquals(Set.of(), dead);
  }

  @ParameterizedTest
  @MethodSource("documents")
  void namesOnlyAlertsAndFilesThatExist(Path document) throws IOException {
    Set<String> alerts = found("\\bIncudal[A-Z][A-Za-z]+\\b", document);
    alerts.removeAll(alerts());
    assertEquals(Set.of(), alerts);
    Set<String> files = found("(?<=`)(?:src|scripts|conf|k8s)/[A-Za-z0-9_./-]+(?=`)", document);
    files.removeIf(file -> Files.exists(Path.of(file)));
    assertEquals(Set.of(), files);
  }

  @Test
  void saysWhatToDoAboutEveryAlertAndEveryFailureOfTheNode() throws IOException {
    Path operations = DIRECTORY.resolve("operations.md");
    Set<String> alerts = alerts();
    assertTrue(alerts.size() > 5, alerts.toString());
    alerts.removeAll(found("(?m)^\\| `(Incudal[A-Za-z]+)`", operations));
    assertEquals(Set.of(), alerts);
    Set<String> failures =
        errors().filter(code -> code.startsWith("5")).collect(Collectors.toSet());
    failures.removeAll(found("(?m)^\\| `(5[0-9][0-9] [a-z_]+)`", operations));
    assertEquals(Set.of(), failures);
  }

  @Test
  void theReadmeLeadsToEveryDocument() throws IOException {
    Set<String> links = found("(?<=]\\()src/docs/[a-z-]+\\.md", Path.of("README.md"));
    assertEquals(
        documents().stream()
            .skip(1)
            .map(Path::toString)
            .collect(Collectors.toCollection(TreeSet::new)),
        links);
  }

  private static Stream<String> errors() {
    return Arrays.stream(ErrorCode.values()).map(code -> code.status() + " " + code.word());
  }

  private static Set<String> alerts() throws IOException {
    return found("(?<=- alert: )\\w+", Path.of("k8s/monitoring/rules.yaml"));
  }

  /** As GitHub makes them of headings, and those that stand in the text. */
  private static Set<String> anchors(Path file) throws IOException {
    String text = FENCED.matcher(Files.readString(file)).replaceAll("");
    Set<String> anchors = found("<a id=\"([^\"]+)\"", text);
    for (String heading : found("(?m)^#+ (.*)$", text)) {
      String kept = heading.toLowerCase(Locale.ROOT).replaceAll("[^\\p{L}\\p{N} _-]", "");
      anchors.add(kept.strip().replace(' ', '-'));
    }
    return anchors;
  }

  private static Set<String> found(String pattern, Path file) throws IOException {
    return found(pattern, Files.readString(file));
  }

  /** The first group of each, or all of it where there is none. */
  private static Set<String> found(String pattern, String text) {
    return Pattern.compile(pattern)
        .matcher(text)
        .results()
        .map(match -> match.group(Math.min(1, match.groupCount())))
        .collect(Collectors.toCollection(TreeSet::new));
  }
}
