package io.incudal.agent.exec;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.incudal.agent.bus.AgentException;
import io.incudal.agent.bus.ErrorCode;
import io.incudal.agent.exec.FakeEngine.Answer;
import io.incudal.agent.exec.FakeEngine.Fault;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** docker-java against an engine that can be made to answer anything, or nothing. */
class DockerContainerTest {
  private static final Duration LIMIT = Duration.ofSeconds(20);
  private static final Duration SHORT = Duration.ofMillis(60);

  @TempDir Path directory;
  private Path socket;
  private FakeEngine engine;
  private DockerContainer container;

  @BeforeEach
  void startEngine() throws IOException {
    socket = directory.resolve("docker.sock");
    engine = new FakeEngine(socket);
    container = container("iscsi");
  }

  @AfterEach
  void stopEngine() throws IOException {
    container.close();
    engine.close();
  }

  @Test
  void runsCommandsThroughDockersStreams() throws Exception {
    ToolSession session = open();
    ToolResult result =
        session.run(List.of(List.of("sh", "-c", "echo out; echo err >&2; exit 4")), LIMIT);
    assertEquals(new ToolResult(0, 4, "out\n", "err\n"), result);
    assertEquals(FakeEngine.ID + "@2026-07-27T12:00:00Z", session.instance());
    session.close();
  }

  @Test
  void losesNoByteOfLargeOutputs() throws Exception {
    // docker-java hands out the same buffer again and again when it is full.
    ToolSession session = open();
    ToolResult result = session.run(List.of(List.of("seq", "100000")), LIMIT);
    assertEquals(100_000, result.stdout().lines().count());
    assertTrue(result.stdout().endsWith("\n99999\n100000\n"));
    session.close();
  }

  /** B38. */
  @ParameterizedTest
  @CsvSource({"1.12, 1.41, v1.41", "1.44, 1.52, v1.44", "1.24, 1.44, v1.44", "1.50, 1.60, v1.50"})
  void speaksAVersionThatTheEngineSpeaks(String oldest, String newest, String spoken) {
    engine.minApiVersion = oldest;
    engine.apiVersion = newest;
    open().close();
    assertTrue(engine.requests.contains("GET /" + spoken + "/containers/iscsi/json"));
  }

  @Test
  void negotiatesAgainWithAnEngineThatCameBackAsAnotherVersion() throws IOException {
    open().close();
    engine.close();
    engine.minApiVersion = "1.44";
    engine.apiVersion = "1.52";
    engine.start();
    open().close();
  }

  @Test
  void doesNotTakeAnotherContainerWhoseIdBeginsLikeTheName() {
    container = container("0123");
    refused(ErrorCode.CONTAINER_UNAVAILABLE, "container \"0123\" does not exist");
  }

  @ParameterizedTest
  @ValueSource(strings = {"0123456789ab", FakeEngine.ID})
  void takesAnId(String id) {
    container = container(id);
    open().close();
  }

  /** B42. */
  @ParameterizedTest
  @CsvSource({
    "'\"Running\":true,\"Paused\":true', docker unpause iscsi",
    "'\"Running\":true,\"Restarting\":true', docker logs iscsi",
    "'\"Running\":false', docker start iscsi"
  })
  void saysWhatToDoWithAContainerThatDoesNotRun(String state, String advice) {
    engine.state = state;
    refused(ErrorCode.CONTAINER_UNAVAILABLE, advice);
  }

  @Test
  void saysThatTheContainerDoesNotExist() {
    engine.bent = (method, path) -> path.endsWith("/json") ? Answer.json(404, "{}") : null;
    refused(ErrorCode.CONTAINER_UNAVAILABLE, "does not exist");
  }

  @ParameterizedTest
  @ValueSource(ints = {404, 409})
  void blamesTheContainerWhenItEndsBetweenTwoCalls(int status) {
    engine.bent = (method, path) -> path.endsWith("/exec") ? Answer.json(status, "{}") : null;
    refused(ErrorCode.CONTAINER_UNAVAILABLE, "stopped just now");
  }

  @Test
  void blamesTheEngineForAnyOtherRefusal() {
    engine.bent = (method, path) -> path.endsWith("/exec") ? Answer.json(500, "{}") : null;
    refused(ErrorCode.DOCKER_UNAVAILABLE, "HTTP 500");
  }

  @ParameterizedTest
  @ValueSource(strings = {"<html>", "", "[]", "{\"ApiVersion\":"})
  void isNotTakenInBySomethingElseThanAnEngine(String body) {
    engine.bent = (method, path) -> Answer.json(200, body);
    var failure = assertThrows(AgentException.class, this::open);
    assertEquals(ErrorCode.DOCKER_UNAVAILABLE, failure.code());
  }

  @Test
  void takesAClosedConnectionForAnEngineThatIsGone() {
    engine.bent = (method, path) -> Answer.fault(Fault.CLOSE);
    refused(ErrorCode.DOCKER_UNAVAILABLE, "cannot be reached");
  }

  @Test
  void saysThatNobodyListensOnTheSocket() throws IOException {
    // B39: so it is with a socket that was mounted as a file.
    engine.crash();
    refused(ErrorCode.DOCKER_UNAVAILABLE, "mount its directory instead");
  }

  @Test
  void saysThatThereIsNoSocket() throws IOException {
    engine.close();
    refused(ErrorCode.DOCKER_UNAVAILABLE, "there is no such socket");
  }

  @Test
  void saysThatTheSocketIsADirectory() throws IOException {
    // B40.
    engine.close();
    Files.createDirectory(socket);
    refused(ErrorCode.DOCKER_UNAVAILABLE, "is a directory, which Docker makes");
  }

  @ParameterizedTest
  @CsvSource({
    "409, CONTAINER_UNAVAILABLE",
    "404, CONTAINER_UNAVAILABLE",
    "500, DOCKER_UNAVAILABLE"
  })
  void understandsARefusalToStartTheShell(int status, ErrorCode code) {
    engine.bent =
        (method, path) ->
            path.endsWith("/start") ? Answer.json(status, "{\"message\":\"no\"}") : null;
    refused(code, "container \"iscsi\"");
  }

  /** B32. */
  @ParameterizedTest
  @CsvSource({"/version, SILENCE", "/version, SILENCE_AFTER_HEADERS", "/start, SILENCE"})
  void endsEachCallToASilentEngineInTimeAndLeavesNothing(String where, Fault fault)
      throws Exception {
    open().close();
    engine.bent = (method, path) -> path.endsWith(where) ? Answer.fault(fault) : null;
    settled();
    int files = Eventually.files();
    for (int i = 0; i < 15; i++) {
      var failure =
          assertThrows(AgentException.class, () -> ToolSession.open(container, SHORT, 1024));
      assertEquals(ErrorCode.DOCKER_UNAVAILABLE, failure.code());
    }
    settled();
    Eventually.holds("descriptors are back", () -> Eventually.files() <= files + 5);
  }

  /** B34. */
  @ParameterizedTest
  @ValueSource(ints = {404, 409, 500})
  void drainsChunkedErrors(int status) throws Exception {
    open().close();
    settled();
    int files = Eventually.files();
    engine.bent =
        (method, path) ->
            path.endsWith("/exec") ? Answer.chunked(status, "{\"message\":\"no\"}") : null;
    for (int i = 0; i < 20; i++) {
      assertThrows(AgentException.class, this::open);
    }
    engine.bent = (method, path) -> null;
    open().close();
    settled();
    Eventually.holds("descriptors are back", () -> Eventually.files() <= files + 5);
  }

  private DockerContainer container(String name) {
    return new DockerContainer(URI.create("unix://" + socket), name, 2);
  }

  private ToolSession open() {
    return ToolSession.open(container, LIMIT, 1 << 20);
  }

  private void refused(ErrorCode code, String part) {
    var failure = assertThrows(AgentException.class, this::open);
    assertEquals(code, failure.code(), failure.getMessage());
    assertTrue(failure.getMessage().contains(part), failure.getMessage());
  }

  /** No connection is left at the engine, and no thread at docker-java. */
  private void settled() throws InterruptedException {
    Eventually.holds("no connection is left", () -> engine.connections() == 0);
    Eventually.holds(
        "no thread of docker-java is left",
        () ->
            Thread.getAllStackTraces().keySet().stream()
                .noneMatch(thread -> thread.getName().startsWith("docker-java")));
  }
}
