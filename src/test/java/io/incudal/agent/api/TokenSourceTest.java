package io.incudal.agent.api;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.incudal.agent.config.Secret;
import io.incudal.agent.config.TokenConfig;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpMethod;
import io.vertx.junit5.VertxExtension;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The token in a file, which is changed while the agent runs. */
@ExtendWith(VertxExtension.class)
class TokenSourceTest {
  @TempDir private Path directory;
  private Path file;

  @BeforeEach
  void write() throws IOException {
    file = Files.writeString(directory.resolve("token"), "first-token\n");
  }

  @Test
  void takesTheTokenWithoutTheLineEnd(Vertx vertx) {
    assertEquals(200, status(start(vertx), "first-token"));
  }

  @Test
  void takesAnotherTokenOnceTheFileHasChanged(Vertx vertx) throws IOException {
    ApiServer server = start(vertx);
    Path next = Files.writeString(directory.resolve("next"), "second-token\n");
    Files.move(next, file, StandardCopyOption.ATOMIC_MOVE);
    ApiServer.await(() -> status(server, "second-token") == 200);
    assertEquals(401, status(server, "first-token"));
    assertEquals(200, status(server, ApiServer.PREVIOUS));
  }

  @ParameterizedTest
  @ValueSource(strings = {"", " \n", "changeme", "two words"})
  void keepsTheLastTokenWhileTheFileCannotBeUsed(String content, Vertx vertx) throws Exception {
    ApiServer server = start(vertx);
    Files.writeString(file, content);
    // Longer than a few looks at the file take.
    vertx.timer(100, TimeUnit.MILLISECONDS).await();
    assertEquals(200, status(server, "first-token"));
    assertEquals(401, status(server, content.strip()));
    Files.writeString(file, "third-token");
    ApiServer.await(() -> status(server, "third-token") == 200);
  }

  @Test
  void keepsTheLastTokenWhileTheFileIsGone(Vertx vertx) throws Exception {
    ApiServer server = start(vertx);
    Files.delete(file);
    vertx.timer(100, TimeUnit.MILLISECONDS).await();
    assertEquals(200, status(server, "first-token"));
    Files.writeString(file, "fourth-token");
    ApiServer.await(() -> status(server, "fourth-token") == 200);
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "  ", "changeme"})
  void doesNotStartWithoutAToken(String content, Vertx vertx) throws IOException {
    Files.writeString(file, content);
    assertThrows(IllegalArgumentException.class, () -> start(vertx));
  }

  private ApiServer start(Vertx vertx) {
    return ApiServer.start(
        vertx,
        new TokenConfig(
            Optional.empty(), Optional.of(file), Optional.of(new Secret(ApiServer.PREVIOUS))));
  }

  private static int status(ApiServer server, String token) {
    return server
        .anonymous(HttpMethod.GET, "/capabilities")
        .putHeader("Authorization", "Bearer " + token)
        .send()
        .await()
        .statusCode();
  }
}
