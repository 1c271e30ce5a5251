package io.incudal.agent.audit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.vertx.core.json.JsonArray;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.time.Clock;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class AuditLogTest {
  @TempDir Path directory;

  private Path file;

  @BeforeEach
  void name() {
    file = directory.resolve("log/ops.jsonl");
  }

  @Test
  void countsFromOneWithoutGapsAcrossRestarts() throws IOException {
    for (int start = 0; start < 3; start++) {
      try (AuditLog log = open()) {
        log.append(Entries.one("a"));
        log.append(List.of(Entries.disk("b"), Entries.disk("c")));
      }
    }
    assertEquals(LongStream.rangeClosed(1, 9).boxed().toList(), ids(file));
  }

  @Test
  @DisplayName("B72: cuts a torn line off and loses nothing else")
  void cutsATornLineOff() throws IOException {
    try (AuditLog log = open()) {
      log.append(Entries.one("a"));
    }
    write("{\"id\":7,\"op\":\"di");
    try (AuditLog log = open()) {
      assertEquals(2, log.append(Entries.one("b")));
    }
    assertEquals(List.of(1L, 2L), ids(file));
  }

  @Test
  @DisplayName("B72: survives a crash at every byte of the last lines")
  void survivesACrashAtEveryByte() throws IOException {
    // In memory, where hundreds of syncs cost nothing.
    Path memory = Files.createTempDirectory(Path.of("/dev/shm"), "audit");
    try {
      crashAtEveryByte(memory);
    } finally {
      try (Stream<Path> made = Files.walk(memory)) {
        for (Path path : made.sorted(Comparator.reverseOrder()).toList()) {
          Files.delete(path);
        }
      }
    }
  }

  private void crashAtEveryByte(Path memory) throws IOException {
    try (AuditLog log = open()) {
      log.append(Entries.one("first"));
      log.append(List.of(Entries.disk("größe-漢字-😀"), Entries.disk("é")));
    }
    byte[] whole = Files.readAllBytes(file);
    int firstLine = new String(whole, StandardCharsets.ISO_8859_1).indexOf('\n') + 1;
    byte[] companion = Files.readAllBytes(LastId.beside(file));
    for (int cut = firstLine - 2; cut <= whole.length; cut++) {
      for (boolean withCompanion : new boolean[] {false, true}) {
        Path crashed = memory.resolve("at-" + cut + withCompanion + "/ops.jsonl");
        Files.createDirectories(crashed.getParent());
        Files.write(crashed, Arrays.copyOf(whole, cut));
        if (withCompanion) {
          Files.write(LastId.beside(crashed), companion);
        }
        List<Long> complete = readable(Arrays.copyOf(whole, cut));
        try (AuditLog log = open(crashed)) {
          long id = log.append(Entries.one("after"));
          assertEquals(withCompanion ? 4 : complete.size() + 1, id, "cut at " + cut);
          complete.add(id);
        }
        assertEquals(complete, ids(crashed), "cut at " + cut);
      }
    }
  }

  /** Ids of the lines of which no byte is missing but perhaps the newline. */
  private static List<Long> readable(byte[] content) {
    var ids = new ArrayList<Long>();
    for (String line : new String(content, StandardCharsets.UTF_8).split("\n")) {
      if (line.endsWith("\"client\":\"127.0.0.1\"}")) {
        ids.add(ids.size() + 1L);
      }
    }
    return ids;
  }

  @Test
  @DisplayName("B73: starts behind garbage, NULs and empty lines")
  void startsBehindGarbage() throws IOException {
    try (AuditLog log = open()) {
      log.append(Entries.one("a"));
    }
    Files.delete(LastId.beside(file));
    write("garbage\n\n\0\0\0\0\n{\"id\":\"9\"}\n{\"id\":3}x\n");
    try (AuditLog log = open()) {
      assertEquals(2, log.append(Entries.one("b")));
    }
    assertEquals(List.of(1L, 2L), ids(file));
  }

  @Test
  @DisplayName("B75: goes on counting in a new file after the log was moved away")
  void goesOnAfterTheLogWasMovedAway() throws IOException {
    try (AuditLog log = open()) {
      log.append(Entries.one("a"));
      Files.move(file, directory.resolve("ops.jsonl.1"));
      log.append(Entries.one("b"));
      log.append(Entries.one("c"));
    }
    assertEquals(List.of(2L, 3L), ids(file));
    assertEquals(List.of(1L), ids(directory.resolve("ops.jsonl.1")));
  }

  @Test
  @DisplayName("B75: goes on counting after the log was copied and emptied, without NULs")
  void goesOnAfterTheLogWasEmptied() throws IOException {
    try (AuditLog log = open()) {
      log.append(Entries.one("a"));
      Files.write(file, new byte[0], StandardOpenOption.TRUNCATE_EXISTING);
      log.append(Entries.one("b"));
    }
    assertEquals(List.of(2L), ids(file));
    assertFalse(Files.readString(file).contains("\0"));
  }

  @Test
  @DisplayName("B75: goes on counting when the agent restarts after the log was moved away")
  void goesOnAfterARestartWithoutTheLog() throws IOException {
    try (AuditLog log = open()) {
      log.append(List.of(Entries.disk("a"), Entries.disk("b")));
    }
    Files.delete(file);
    try (AuditLog log = open()) {
      assertEquals(3, log.append(Entries.one("c")));
    }
  }

  @Test
  void goesOnWhenItsWholeDirectoryWasMovedAway() throws IOException {
    try (AuditLog log = open()) {
      log.append(Entries.one("a"));
      Files.move(file.getParent(), directory.resolve("old"));
      assertEquals(2, log.append(Entries.one("b")));
    }
    Files.delete(file);
    try (AuditLog log = open()) {
      assertEquals(3, log.append(Entries.one("c")));
    }
  }

  @Test
  void neverGluesALineToWhatAnotherProgramLeft() throws IOException {
    try (AuditLog log = open()) {
      log.append(Entries.one("a"));
      write("{\"id\":2}");
      log.append(Entries.one("b"));
    }
    assertEquals(List.of(1L, 2L, 3L), ids(file));
  }

  @Test
  void leavesNothingOfABatchThatCouldNotBeWritten() throws IOException {
    var disk = new FaultyChannel.Disk();
    try (AuditLog log = open(file, disk)) {
      log.append(Entries.one("a"));
      for (var fault :
          List.of(FaultyChannel.Fault.FULL_AFTER_TEN_BYTES, FaultyChannel.Fault.NO_SYNC)) {
        disk.fault = fault;
        assertThrows(IOException.class, () -> log.append(Entries.one("lost")));
        assertFalse(log.looksWritable());
        assertThrows(IOException.class, () -> log.append(Entries.one("lost again")));
      }
      disk.fault = FaultyChannel.Fault.NONE;
      log.probe();
      assertTrue(log.looksWritable());
      assertEquals(2, log.append(Entries.one("b")));
    }
    assertEquals(List.of(1L, 2L), ids(file));
    assertFalse(Files.readString(file).contains("lost"));
  }

  @Test
  void refusesToShareTheLogWithASecondAgent() throws IOException {
    try (AuditLog log = open()) {
      log.append(Entries.one("a"));
      try (AuditLog second = log(file)) {
        assertThrows(IOException.class, second::open);
      }
      assertEquals(2, log.append(Entries.one("b")));
    }
  }

  @Test
  void leavesAFileAloneThatIsNoLog() throws IOException {
    Files.createDirectories(file.getParent());
    byte[] image = new byte[3 * 1024 * 1024];
    Files.write(file, image);
    try (AuditLog log = log(file)) {
      assertThrows(IOException.class, log::open);
      assertThrows(IOException.class, () -> log.append(Entries.one("a")));
    }
    assertEquals(image.length, Files.size(file));
  }

  @Test
  void saysThatItCannotWriteWhereADirectoryCannotBeMade() throws IOException {
    Files.writeString(directory.resolve("log"), "a file where the directory should be");
    try (AuditLog log = log(file)) {
      assertThrows(IOException.class, log::probe);
      assertFalse(log.looksWritable());
      Files.delete(directory.resolve("log"));
      log.probe();
      assertTrue(log.looksWritable());
    }
  }

  @Test
  void looksUnwritableWhenItsDirectoryHasBecomeAFile() throws IOException {
    Path parent = directory.resolve("log");
    try (AuditLog log = log(parent.resolve("audit.jsonl"))) {
      log.append(Entries.one("a"));
      assertTrue(log.looksWritable());
      Files.move(parent, directory.resolve("moved away"));
      Files.writeString(parent, "a file where the directory was");
      assertFalse(log.looksWritable());
    }
  }

  @Test
  void keepsTheOlderIdWhenTheCompanionIsSpoiled() throws IOException {
    Path companion = directory.resolve("last");
    try (LastId last = LastId.open(companion)) {
      last.store(41);
      last.store(42);
    }
    byte[] whole = Files.readAllBytes(companion);
    for (int at = 0; at < whole.length; at++) {
      byte[] spoiled = whole.clone();
      spoiled[at] ^= 1;
      Files.write(companion, spoiled);
      try (LastId last = LastId.open(companion)) {
        assertEquals(at < whole.length / 2 ? 42 : 41, last.value(), "byte " + at);
      }
    }
  }

  @Test
  void takesUpALogOfTheFormerAgent() throws IOException {
    Files.createDirectories(file.getParent());
    write("{\"id\": 12, \"ts\": \"2026-07-27T12:00:00+00:00\", \"op\": \"disk\"}\n");
    try (AuditLog log = open()) {
      assertEquals(13, log.append(Entries.one("a")));
    }
    assertEquals(List.of(12L, 13L), ids(file));
  }

  private void write(String text) throws IOException {
    Files.writeString(file, text, StandardOpenOption.CREATE, StandardOpenOption.APPEND);
  }

  private AuditLog open() throws IOException {
    return open(file);
  }

  private static AuditLog open(Path file) throws IOException {
    AuditLog log = log(file);
    log.open();
    return log;
  }

  private static AuditLog open(Path file, AuditLog.Opener disk) throws IOException {
    var log = new AuditLog(file, new AuditLine(List::of), Clock.systemDefaultZone(), disk);
    log.open();
    return log;
  }

  private static AuditLog log(Path file) {
    return new AuditLog(file, new AuditLine(List::of), Clock.systemDefaultZone());
  }

  /** What a reader sees of a file that is at rest. */
  private static List<Long> ids(Path file) throws IOException {
    Path copy = file.resolveSibling("copy-" + file.getFileName());
    Files.copy(file, copy, StandardCopyOption.REPLACE_EXISTING);
    try (AuditLog log = open(copy)) {
      var page =
          new AuditReader(copy)
              .page(log.state(), new AuditMessages.ReadPage(0, Integer.MAX_VALUE))
              .orElseThrow()
              .page();
      var entries = new JsonArray(page.entries());
      return IntStream.range(0, entries.size())
          .mapToObj(i -> entries.getJsonObject(i).getLong("id"))
          .toList();
    }
  }
}
