package io.incudal.agent.audit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.vertx.core.json.JsonArray;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class AuditReaderTest {
  @TempDir Path directory;

  private Path file;

  @BeforeEach
  void name() {
    file = directory.resolve("ops.jsonl");
  }

  @Test
  void findsEveryCursorInALongLog() throws IOException {
    int last = 20_000;
    fill(last, new Random(1));
    var random = new Random(2);
    for (int round = 0; round < 300; round++) {
      long since = random.nextInt(last + 100);
      long end = Math.min(last, since + 7);
      assertEquals(LongStream.rangeClosed(since + 1, end).boxed().toList(), ids(read(since, 7)));
    }
  }

  @Test
  @DisplayName("B77: pages join without a gap or a double, and an empty one keeps the cursor")
  void pagesJoin() throws IOException {
    fill(2500, new Random(3));
    long cursor = 0;
    for (int size : new int[] {1000, 1000, 500, 0}) {
      AuditMessages.Page page = read(cursor, 1000).page();
      assertEquals(size, new JsonArray(page.entries()).size());
      assertEquals(cursor + size, page.nextCursor());
      cursor = page.nextCursor();
    }
    assertEquals(9_999, read(9_999, 5).page().nextCursor());
  }

  @Test
  @DisplayName("B73: passes over lines that are no JSON, wherever they stand, and counts them")
  void passesOverUnreadableLines() throws IOException {
    var garbage =
        List.of(
            "",
            "garbage",
            "\0\0\0\0\0\0\0\0",
            "{\"id\":1",
            "{\"id\":5} trailing",
            "{\"id\":\"5\"}",
            "{\"no\":5}",
            "[1]",
            "{\"id\":5,\"x\":\"\u0001\"}",
            "z".repeat(LineCursor.MAX_LINE * 3));
    var text = new StringBuilder();
    for (int id = 1; id <= 2000; id++) {
      text.append("{\"id\":")
          .append(id)
          .append(",\"pad\":\"")
          .append("p".repeat(100))
          .append("\"}\n");
      if (id % 200 == 0) {
        text.append(garbage.get(id / 200 - 1)).append('\n');
      }
    }
    Files.writeString(file, text);
    for (long since = 0; since < 2000; since += 173) {
      assertEquals(
          LongStream.rangeClosed(since + 1, 2000).boxed().toList(), ids(read(since, 5000)));
    }
    assertEquals(10, read(0, 5000).unreadable());
  }

  @Test
  void passesOverALineThatWasCutInsideACharacter() throws IOException {
    Files.write(file, new byte[] {'{', '"', 'i', 'd', '"', ':', '1', ',', '"', 'x', '"', ':', '"'});
    Files.write(file, new byte[] {(byte) 0xE6, (byte) 0xBC, '\n'}, StandardOpenOption.APPEND);
    Files.writeString(file, "{\"id\":2}\n", StandardOpenOption.APPEND);
    assertEquals(List.of(2L), ids(read(0, 10)));
  }

  @Test
  void endsAtWhatHasBeenPromised() throws IOException {
    Files.writeString(file, "{\"id\":1}\n{\"id\":2}\n");
    assertEquals(List.of(1L), ids(read(0, 10, 9)));
  }

  @Test
  void handsLinesOutJustAsTheyStand() throws IOException {
    Files.writeString(file, "{\"id\": 1, \"ts\": \"漢\"}\n{ \"z\" : 1.0, \"id\" : 2 }\n");
    assertEquals(
        "[{\"id\": 1, \"ts\": \"漢\"},{ \"z\" : 1.0, \"id\" : 2 }]",
        read(0, 10).page().entries().toString());
  }

  @Test
  void givesNothingWhenTheLogWasMovedAway() throws IOException {
    Files.writeString(file, "{\"id\":1}\n");
    LogState state = state(9);
    Files.delete(file);
    var found = new AuditReader(file).page(state, new AuditMessages.ReadPage(5, 10)).orElseThrow();
    assertEquals("[]", found.page().entries().toString());
    assertEquals(5, found.page().nextCursor());
  }

  @Test
  void leavesItToTheWriterWhenAnotherFileStandsThere() throws IOException {
    Files.writeString(file, "{\"id\":1}\n");
    LogState state = state(9);
    Files.move(file, directory.resolve("old"));
    Files.writeString(file, "{\"id\":2}\n{\"id\":3}\n");
    var ask = new AuditMessages.ReadPage(0, 10);
    assertEquals(Optional.empty(), new AuditReader(file).page(state, ask));
    LogState emptied = state(1000);
    assertEquals(Optional.empty(), new AuditReader(file).page(emptied, ask));
  }

  @Test
  void endsAPageThatWouldGrowTooLarge() throws IOException {
    var text = new StringBuilder();
    for (int id = 1; id <= 30; id++) {
      text.append("{\"id\":")
          .append(id)
          .append(",\"x\":\"")
          .append("x".repeat(200_000))
          .append("\"}\n");
    }
    Files.writeString(file, text);
    AuditMessages.Page page = read(0, 30).page();
    assertTrue(page.nextCursor() < 30, "one page of all");
    assertTrue(page.entries().length() < 5_000_000, "size " + page.entries().length());
  }

  private void fill(int lines, Random random) throws IOException {
    var text = new StringBuilder();
    for (int id = 1; id <= lines; id++) {
      text.append("{\"id\":").append(id).append(",\"op\":\"disk\",\"pad\":\"");
      text.append("p".repeat(random.nextInt(300))).append("\"}\n");
    }
    Files.writeString(file, text);
  }

  private AuditReader.Found read(long since, int limit) throws IOException {
    return read(since, limit, Files.size(file));
  }

  private AuditReader.Found read(long since, int limit, long size) throws IOException {
    return new AuditReader(file)
        .page(state(size), new AuditMessages.ReadPage(since, limit))
        .orElseThrow();
  }

  private LogState state(long size) throws IOException {
    Object key = Files.readAttributes(file, BasicFileAttributes.class).fileKey();
    return new LogState(key, size, 0, true);
  }

  private static List<Long> ids(AuditReader.Found found) {
    var entries = new JsonArray(found.page().entries());
    return IntStream.range(0, entries.size())
        .mapToObj(i -> entries.getJsonObject(i).getLong("id"))
        .toList();
  }
}
