package io.incudal.agent.audit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.incudal.agent.bus.Caller;
import io.incudal.agent.config.Secret;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.time.OffsetDateTime;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class AuditLineTest {
  private static final OffsetDateTime NOON = OffsetDateTime.parse("2026-07-27T12:00:00.000120Z");
  private static final Secret TOKEN = new Secret("s3cr3t-\"token\"");

  @Test
  void printsTheMembersOfTheContractInTheirOrder() throws IOException {
    assertEquals(
        "{\"id\":12,\"ts\":\"2026-07-27T12:00:00.000120+00:00\",\"op\":\"disk\",\"req\":{"
            + "\"iqn\":\"iqn.x:a\",\"master\":null,\"size\":\"1G\",\"filename\":null},"
            + "\"result\":\"ok\",\"client\":\"127.0.0.1\"}\n",
        print(Entries.disk("iqn.x:a")));
  }

  @Test
  void printsErrorCountsAndPrincipalWhereThereAreAny() throws IOException {
    var counts = new LinkedHashMap<String, Integer>();
    counts.put("created", 3);
    counts.put("skipped", 0);
    var entry =
        new AuditMessages.Append(
            "scan",
            Map.of(),
            Optional.of("no space"),
            counts,
            new Caller("::1", Optional.of("control-plane")));
    assertEquals(
        "{\"id\":12,\"ts\":\"2026-07-27T12:00:00.000120+00:00\",\"op\":\"scan\",\"req\":{},"
            + "\"result\":\"failed\",\"error\":\"no space\",\"created\":3,\"skipped\":0,"
            + "\"client\":\"::1\",\"principal\":\"control-plane\"}\n",
        print(entry));
  }

  @Test
  void printsTheOffsetOfTheLocalTime() throws IOException {
    var batch = new ByteArrayOutputStream();
    new AuditLine(List::of)
        .print(1, OffsetDateTime.parse("2026-07-27T12:00:00+05:30"), Entries.disk("a"), batch);
    assertTrue(batch.toString(StandardCharsets.UTF_8).contains("T12:00:00.000000+05:30\""));
  }

  @Test
  void cutsLongTextsBetweenCodePoints() throws IOException {
    String cut = member("a".repeat(1022) + "😀" + "b".repeat(5000));
    assertEquals("a".repeat(1022), cut);
    assertEquals("a".repeat(1024), member("a".repeat(1024)));
    assertEquals("é".repeat(512), member("é".repeat(4000)));
  }

  @Test
  void printsWhatIsNoUnicodeAsQuestionMarks() throws IOException {
    assertEquals("a?b", member("a\ud800b"));
  }

  @Test
  @DisplayName("B80: masks configured secrets wherever they stand")
  void masksSecrets() throws IOException {
    String secret = TOKEN.value();
    String nested =
        new JsonObject()
            .put("list", new JsonArray().add("x" + secret))
            .put("in " + secret, 1)
            .encode();
    var req = new LinkedHashMap<String, Object>();
    req.put("iqn", "iqn " + secret);
    req.put("size", new JsonObject(nested));
    // A secret across the border of the cut would no longer be found.
    req.put("master", "m".repeat(AuditLine.MAX_VALUE - 5) + secret);
    var entry =
        new AuditMessages.Append(
            "disk", req, Optional.of("said " + secret), Map.of(), Caller.LOCAL);
    String line = print(entry);
    assertFalse(line.contains("s3cr3t"), line);
    assertTrue(line.contains("\"iqn\":\"iqn ***\""), line);
    assertTrue(line.contains("{\"list\":[\"x***\"],\"in ***\":1}"), line);
    assertTrue(line.contains("\"error\":\"said ***\""), line);
  }

  @Test
  void keepsValuesOfWrongTypeAsTheyWereSent() throws IOException {
    var req = new LinkedHashMap<String, Object>();
    req.put("iqn", 5);
    req.put("master", true);
    req.put("size", new JsonArray().add(1.5).addNull());
    req.put("filename", new BigDecimal("1E+400"));
    assertTrue(
        print(Entries.of(req))
            .contains("{\"iqn\":5,\"master\":true,\"size\":[1.5,null],\"filename\":1E+400}"));
  }

  @Test
  void makesATextOfAValueThatIsTooLongAsAWhole() throws IOException {
    Object value = new JsonArray(Collections.nCopies(5000, 7));
    JsonObject line = new JsonObject(print(Entries.of(Map.of("iqn", value))));
    String text = line.getJsonObject("req").getString("iqn");
    assertEquals(AuditLine.MAX_VALUE, text.length());
    assertTrue(text.startsWith("[7,7,"), text);
  }

  private static String member(String value) throws IOException {
    return new JsonObject(print(Entries.of(Map.of("iqn", value))))
        .getJsonObject("req")
        .getString("iqn");
  }

  private static String print(AuditMessages.Append entry) throws IOException {
    var batch = new ByteArrayOutputStream();
    new AuditLine(() -> List.of(TOKEN)).print(12, NOON, entry, batch);
    return batch.toString(StandardCharsets.UTF_8);
  }
}
