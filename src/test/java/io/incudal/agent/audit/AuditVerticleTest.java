package io.incudal.agent.audit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.incudal.agent.bus.Addresses;
import io.incudal.agent.bus.AgentException;
import io.incudal.agent.bus.AgentMessage;
import io.incudal.agent.bus.Bus;
import io.incudal.agent.bus.ErrorCode;
import io.incudal.agent.bus.Request;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.json.JsonArray;
import io.vertx.junit5.VertxExtension;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

@ExtendWith(VertxExtension.class)
class AuditVerticleTest {
  private static final Duration SOON = Duration.ofSeconds(20);

  @TempDir Path directory;

  private Path file;
  private Bus bus;
  private Vertx vertx;

  @BeforeEach
  void install(Vertx vertx) {
    this.vertx = vertx;
    file = directory.resolve("log/ops.jsonl");
    bus = Bus.install(vertx);
  }

  @Test
  void answersWithTheIdOfALineThatIsThere() throws IOException {
    deploy();
    assertEquals(1, append("a").await().id());
    assertTrue(Files.readString(file).contains("\"iqn\":\"a\""));
    assertEquals(List.of(1L), ids(page(0, 10).await()));
  }

  @Test
  void givesEachOfManyCallersItsOwnId() {
    deploy();
    var all = IntStream.range(0, 500).mapToObj(i -> append("iqn-" + i)).toList();
    var ids = new TreeSet<Long>();
    all.forEach(one -> ids.add(one.await().id()));
    assertEquals(500, ids.size());
    assertEquals(500, ids.last());
    JsonArray lines = new JsonArray(page(0, 1000).await().entries());
    for (int i = 0; i < 500; i++) {
      var line = lines.getJsonObject((int) all.get(i).result().id() - 1);
      assertEquals("iqn-" + i, line.getJsonObject("req").getString("iqn"));
    }
  }

  @Test
  @DisplayName("B77: pages read while writes go on join without a gap or a double")
  void pagesJoinWhileWritesGoOn() {
    deploy();
    var writes = new ArrayList<Future<AuditMessages.Appended>>();
    var read = new ArrayList<Long>();
    long cursor = 0;
    while (read.size() < 400) {
      if (writes.size() < 400) {
        IntStream.range(0, 50).forEach(i -> writes.add(append("x")));
      }
      AuditMessages.Page page = page(cursor, 33).await();
      read.addAll(ids(page));
      cursor = page.nextCursor();
    }
    assertEquals(LongStream.rangeClosed(1, 400).boxed().toList(), read);
  }

  @Test
  void saysUnavailableBeforeWorkAndFailedAfterIt() throws IOException {
    Files.writeString(directory.resolve("log"), "a file where the directory should be");
    deploy();
    assertEquals(ErrorCode.AUDIT_UNAVAILABLE, codeOf(check()));
    assertEquals(ErrorCode.AUDIT_FAILED, codeOf(append("a")));
    Files.delete(directory.resolve("log"));
    check().await();
    assertEquals(1, append("a").await().id());
  }

  @Test
  @DisplayName("B75: reads go on in the file that stands there after a rotation")
  void readsWhatStandsThereAfterARotation() throws IOException {
    deploy();
    append("a").await();
    Files.move(file, directory.resolve("old"));
    AuditMessages.Page empty = page(0, 10).await();
    assertEquals(List.of(), ids(empty));
    Files.writeString(file, "{\"id\":1}\n");
    assertEquals(List.of(1L), ids(page(0, 10).await()));
    assertEquals(2, append("b").await().id());
    assertEquals(List.of(1L, 2L), ids(page(0, 10).await()));
  }

  @Test
  void writesWhatWasTakenBeforeItStops() throws IOException {
    String id = deploy();
    var all = IntStream.range(0, 100).mapToObj(i -> append("iqn-" + i)).toList();
    all.get(0).await();
    vertx.undeploy(id).await();
    long answered = 0;
    for (Future<AuditMessages.Appended> one : all) {
      answered += one.otherwiseEmpty().await() == null ? 0 : 1;
    }
    assertTrue(Files.readAllLines(file).size() >= answered);
    assertEquals(ErrorCode.STOPPING, codeOf(append("late")));
  }

  private String deploy() {
    return vertx.deployVerticle(new AuditVerticle(bus, file, List::of, AuditListener.NONE)).await();
  }

  private Future<AuditMessages.Appended> append(String iqn) {
    return ask(Addresses.AUDIT_APPEND, Entries.disk(iqn));
  }

  private Future<AuditMessages.Writable> check() {
    return ask(Addresses.AUDIT_APPEND, new AuditMessages.CheckWritable());
  }

  private Future<AuditMessages.Page> page(long since, int limit) {
    return ask(Addresses.AUDIT_READ, new AuditMessages.ReadPage(since, limit));
  }

  private <R extends AgentMessage> Future<R> ask(String address, Request<R> request) {
    return bus.request(address, request, SOON);
  }

  private static ErrorCode codeOf(Future<?> failed) {
    return assertThrows(AgentException.class, failed::await).code();
  }

  private static List<Long> ids(AuditMessages.Page page) {
    var entries = new JsonArray(page.entries());
    return IntStream.range(0, entries.size())
        .mapToObj(i -> entries.getJsonObject(i).getLong("id"))
        .toList();
  }
}
