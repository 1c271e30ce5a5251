package io.incudal.agent.exec;

import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.incudal.agent.bus.AgentException;
import io.incudal.agent.exec.FakeEngine.Answer;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What takes too long among the unit tests. */
class DockerContainerIT {
  private static final Duration LIMIT = Duration.ofSeconds(20);

  @TempDir Path directory;

  @Test
  void servesAsManyGoodCallsAfterFiveHundredErrors() throws Exception {
    // B34.
    Path socket = directory.resolve("docker.sock");
    try (FakeEngine engine = new FakeEngine(socket)) {
      var container = new DockerContainer(URI.create("unix://" + socket), "iscsi", 2);
      ToolSession.open(container, LIMIT, 1024).close();
      Eventually.holds("it is quiet", () -> engine.connections() == 0);
      int files = Eventually.files();
      for (int i = 0; i < 500; i++) {
        int status = List.of(404, 409, 500).get(i % 3);
        engine.bent =
            (method, path) -> path.endsWith("/exec") ? Answer.chunked(status, "{}") : null;
        assertThrows(AgentException.class, () -> ToolSession.open(container, LIMIT, 1024));
      }
      engine.bent = (method, path) -> null;
      for (int i = 0; i < 500; i++) {
        ToolSession session = ToolSession.open(container, LIMIT, 1024);
        assertTrue(session.run(List.of(List.of("true")), LIMIT).ok());
        session.close();
      }
      Eventually.holds("descriptors are back", () -> Eventually.files() <= files + 5);
      container.close();
    }
  }
}
