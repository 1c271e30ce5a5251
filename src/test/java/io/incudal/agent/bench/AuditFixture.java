package io.incudal.agent.bench;

import java.io.BufferedWriter;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;

/** Writes a long audit log as a busy node would have. */
final class AuditFixture {
  private static final DateTimeFormatter TIME =
      DateTimeFormatter.ofPattern("uuuu-MM-dd'T'HH:mm:ss.SSSSSSxxx");

  private AuditFixture() {}

  /** Arguments: file, number of lines. */
  public static void main(String[] args) throws IOException {
    OffsetDateTime time = OffsetDateTime.of(2026, 1, 1, 0, 0, 0, 0, ZoneOffset.UTC);
    try (BufferedWriter out = Files.newBufferedWriter(Path.of(args[0]))) {
      for (int id = 1; id <= Integer.parseInt(args[1]); id++) {
        time = time.plusNanos(61_000_000_000L);
        out.write(
            "{\"id\":%d,\"ts\":\"%s\",\"op\":\"disk\",\"req\":{\"iqn\":\"iqn.2026-07.com.example:pc-%d\",\"master\":\"debian12_tpl_v1.img\",\"size\":null,\"filename\":null},\"result\":\"ok\",\"client\":\"192.0.2.7\"}\n"
                .formatted(id, TIME.format(time), id));
      }
    }
  }
}
