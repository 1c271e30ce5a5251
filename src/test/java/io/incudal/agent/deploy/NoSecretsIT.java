package io.incudal.agent.deploy;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.incudal.agent.lab.Cli;
import io.incudal.agent.lab.LabSettings;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** B105: what is published, as source or as an image, holds nobody's token or key. */
@Tag("image")
class NoSecretsIT {
  /** Names of files that hold configuration or keys; examples are named so. */
  private static final Pattern NAME =
      Pattern.compile("(.*/)?(\\.env|.*\\.(pem|key|p12|jks|env)|conf/config\\.ya?ml|id_[a-z0-9]+)");

  /** A private key; or a word with digits in it that is given to a setting of that kind. */
  private static final Pattern SECRET =
      Pattern.compile(
          "(?i)-----BEGIN [A-Z ]*PRIVATE KEY-----"
              + "|(?:TOKEN|SECRET|PASSWORD|_KEY)[A-Z_]*\\s*[=:]\\s*[\"']?"
              + "(?=[A-Za-z_+/-]*[0-9])[A-Za-z0-9_+/-]{16,}");

  /** In the environment and in the files of the build; see {@code scripts/test}. */
  private static final List<String> OF_THE_BUILD =
      List.of("in-the-environment-of-the-build", "only-for-this-build");

  @TempDir Path unpacked;

  @Test
  void aCleanCheckoutHoldsExamplesOnly() throws IOException {
    List<String> files = Cli.run("git", "ls-files").orFail().lines().toList();
    assertTrue(files.contains("conf/agent.env.example"), "the list of files: " + files);
    assertEquals(List.of(), files.stream().filter(NAME.asMatchPredicate()).toList());
    List<String> found = new ArrayList<>();
    for (String file : files) {
      // Tests invent theirs.
      if (!file.startsWith("src/test/") && Files.exists(Path.of(file))) {
        String text = Files.readString(Path.of(file));
        SECRET.matcher(text).results().forEach(hit -> found.add(file + ": " + hit.group()));
      }
    }
    assertEquals(List.of(), found);
  }

  @Test
  void knowsASecretWhenItSeesOne() {
    for (String secret :
        List.of(
            "IPXE_AGENT_TOKEN=4f0c9b1de2a84f0c9b1de2a8",
            "agent_secret: 'ias_0123456789abcdef'",
            "-----BEGIN RSA PRIVATE KEY-----")) {
      assertTrue(SECRET.matcher(secret).find(), secret);
    }
    assertTrue(NAME.asMatchPredicate().test("src/main/docker/.env"));
  }

  @Test
  @DisplayName("B105: image layers hold no token")
  void imageLayersHoldNoToken() throws IOException {
    LabSettings lab = LabSettings.ofEnvironment();
    Path saved = unpacked.resolve("image.tar");
    AgentContainer.docker(lab, List.of("save", "-o", saved.toString(), AgentContainer.image(lab)))
        .orFail();
    Cli.run("tar", "-C", unpacked.toString(), "-xf", saved.toString()).orFail();
    Files.delete(saved);
    List<String> layers = new ArrayList<>();
    for (Path file : files(unpacked)) {
      if (file.toString().endsWith(".tar")) {
        Path content = Files.createDirectories(unpacked.resolve("layer" + layers.size()));
        Cli.run("tar", "-C", content.toString(), "-xf", file.toString()).orFail();
        Files.delete(file);
        layers.add(content.toString());
      }
    }
    assertTrue(!layers.isEmpty());
    List<Path> all = files(unpacked);
    assertTrue(all.stream().anyMatch(file -> file.endsWith("opt/incudal-agent/agent.jar")));
    List<String> found = new ArrayList<>();
    for (Path file : all) {
      if (NAME.asMatchPredicate().test(file.getFileName().toString())) {
        found.add(file.toString());
      }
      found.addAll(secretsIn(file.toString(), Files.readAllBytes(file)));
      if (file.toString().endsWith(".jar")) {
        found.addAll(secretsInJar(file));
      }
    }
    assertEquals(List.of(), found);
  }

  private static List<Path> files(Path directory) throws IOException {
    try (Stream<Path> all = Files.walk(directory)) {
      return all.filter(file -> Files.isRegularFile(file, LinkOption.NOFOLLOW_LINKS)).toList();
    }
  }

  private static List<String> secretsInJar(Path jar) throws IOException {
    List<String> found = new ArrayList<>();
    try (ZipFile zip = new ZipFile(jar.toFile())) {
      for (ZipEntry entry : Collections.list(zip.entries())) {
        try (InputStream in = zip.getInputStream(entry)) {
          found.addAll(secretsIn(jar + "!" + entry.getName(), in.readAllBytes()));
        }
      }
    }
    return found;
  }

  private static List<String> secretsIn(String name, byte[] bytes) {
    String text = new String(bytes, StandardCharsets.ISO_8859_1);
    return OF_THE_BUILD.stream()
        .filter(text::contains)
        .map(secret -> name + ": " + secret)
        .toList();
  }
}
