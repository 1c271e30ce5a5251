package io.incudal.agent.log;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.spi.LoggingEvent;
import io.incudal.agent.bus.LogTag;
import io.incudal.agent.config.LogConfig;
import io.incudal.agent.config.Secret;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.json.JsonObject;
import io.vertx.junit5.VertxExtension;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@ExtendWith(VertxExtension.class)
class LogLinesTest {
  private final LoggerContext context = new LoggerContext();

  @Test
  void aTextLineHoldsTimeLevelSourceAndMessage() {
    String line = encode(TextLines::line, "disk created iqn={}", null, "iqn.x:a");
    assertTrue(
        line.matches(
            "[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9:]{8}\\.[0-9]{3}[+-][0-9:]{5} INFO  LunService - disk"
                + " created iqn=iqn.x:a\n"),
        line);
  }

  @Test
  void aMessageCannotForgeAnotherTextLine() {
    String line = encode(TextLines::line, "refused name={}", null, "x\r\n2026 INFO forged\u2028");
    assertEquals(line.length() - 1, line.indexOf('\n'));
    assertTrue(line.endsWith("name=x\\u000d\\u000a2026 INFO forged\\u2028\n"), line);
  }

  @Test
  void aTextLineIsFollowedByTheStackTrace() {
    String line = encode(TextLines::line, "unexpected", new IllegalStateException("boom"));
    assertTrue(line.contains("- unexpected\njava.lang.IllegalStateException: boom\n"), line);
  }

  @Test
  void aJsonLineIsOneObject() {
    String line = encode(JsonLines::line, "a \"b\"\n{}", new IllegalStateException("boom"), "c");
    assertEquals(line.length() - 1, line.indexOf('\n'));
    var json = new JsonObject(line);
    assertEquals("a \"b\"\nc", json.getString("message"));
    assertEquals("INFO", json.getString("level"));
    assertEquals("LunService", json.getString("source"));
    assertFalse(json.containsKey("request"));
    assertTrue(json.getString("stack").startsWith("java.lang.IllegalStateException: boom"));
  }

  @Test
  @DisplayName("B80: secrets are masked in both forms, in messages and stack traces")
  void bothFormsMaskSecrets() {
    for (LineEncoder.Form form : List.<LineEncoder.Form>of(TextLines::line, JsonLines::line)) {
      String line = encode(form, "iqn={}", new IllegalStateException("a hid\"den b"), "x:hid\"den");
      assertFalse(line.contains("hid"), line);
      assertTrue(line.contains("iqn=x:***") && line.contains("a *** b"), line);
    }
  }

  @Test
  void bothFormsHoldTheRequestAndTheTarget(Vertx vertx) {
    Promise<String> lines = Promise.promise();
    vertx.runOnContext(
        go -> {
          LogTag.REQUEST.bind("r-17");
          LogTag.IQN.bind("iqn.x:a");
          lines.complete(encode(TextLines::line, "x", null) + encode(JsonLines::line, "x", null));
        });
    String both = lines.future().await();
    assertTrue(both.contains(" request=r-17 iqn=iqn.x:a - x\n"), both);
    assertTrue(both.contains("\"request\":\"r-17\",\"iqn\":\"iqn.x:a\""), both);
  }

  @ParameterizedTest
  @CsvSource({"error, ERROR, ERROR", "info, INFO, WARN", "trace, TRACE, WARN"})
  void librariesAreHeardFromWarnOnWhateverTheAgentsLevelIs(String level, String own, String root) {
    apply(LogConfig.Format.JSON, level);
    assertEquals(own, context.getLogger("io.incudal.agent.x").getEffectiveLevel().toString());
    assertEquals(root, context.getLogger("io.netty.x").getEffectiveLevel().toString());
    apply(LogConfig.Format.TEXT, level);
    int appenders = 0;
    for (var all = context.getLogger(Logger.ROOT_LOGGER_NAME).iteratorForAppenders();
        all.hasNext();
        all.next()) {
      appenders++;
    }
    assertEquals(1, appenders);
  }

  private void apply(LogConfig.Format format, String level) {
    LogbackSetup.apply(context, new LogConfig(format, level, Optional.empty()), List::of);
  }

  private String encode(
      LineEncoder.Form form, String message, Throwable failure, Object... arguments) {
    Logger logger = context.getLogger("io.incudal.agent.lun.LunService");
    var event = new LoggingEvent("test", logger, Level.INFO, message, failure, arguments);
    return new String(
        new LineEncoder(form, () -> List.of(new Secret("hid\"den"))).encode(event),
        StandardCharsets.UTF_8);
  }
}
