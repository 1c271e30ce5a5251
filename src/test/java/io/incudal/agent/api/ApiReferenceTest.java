package io.incudal.agent.api;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

/** The reference for people is the one that the contract makes. */
class ApiReferenceTest {
  private static final Path REFERENCE = Path.of("src/docs/api.md");

  @Test
  void theReferenceIsUpToDate() throws IOException {
    String made = ApiReference.render(Files.readString(Path.of("src/main/resources/openapi.yaml")));
    if (Boolean.getBoolean("docs.write")) {
      Files.writeString(REFERENCE, made);
    }
    assertEquals(
        made,
        Files.readString(REFERENCE),
        "make it again with: mvn -q test -Dtest=ApiReferenceTest -Ddocs.write=true");
  }
}
