package io.incudal.agent.panel;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.incudal.agent.upgrade.UpgradeMessages.Offer;
import io.vertx.core.MultiMap;
import io.vertx.core.buffer.Buffer;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Answers of a panel, and of what stands in a panel's place. */
class PanelAnswerTest {
  private static final BeatOutcome NO_OFFER = new BeatOutcome.Accepted(Optional.empty());

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "{}",
        "{\"upgrade\":null}",
        "{\"upgrade\":[]}",
        "{\"upgrade\":{}}",
        "{\"upgrade\":{\"available\":false,\"version\":\"v2.0.0\"}}",
        "{\"upgrade\":{\"available\":\"true\",\"version\":\"v2.0.0\"}}"
      })
  void seesNoOfferWhereNoneIsMade(String body) {
    assertEquals(NO_OFFER, answer(200, body));
  }

  @Test
  void passesAnOfferOnAsItIs() {
    assertEquals(
        new BeatOutcome.Accepted(
            Optional.of(new Offer("v2.0.0", "https://p/b", "ab", true, OptionalLong.of(12)))),
        answer(
            200,
            "{\"upgrade\":{\"available\":true,\"version\":\"v2.0.0\",\"url\":\"https://p/b\","
                + "\"sha256\":\"ab\",\"gzip\":true,\"size\":12}}"));
  }

  @Test
  void passesAnOfferOfWrongTypesOnAsIfItSaidNothing() {
    assertEquals(
        new BeatOutcome.Accepted(Optional.of(new Offer("", "", "", false, OptionalLong.empty()))),
        answer(
            200,
            "{\"upgrade\":{\"available\":true,\"version\":2,\"url\":{},\"sha256\":null,"
                + "\"gzip\":\"yes\",\"size\":\"12\"}}"));
  }

  @ParameterizedTest
  @ValueSource(strings = {"<html>sign in</html>", "[]", "\"ok\"", "{", "42"})
  void takesNoOtherPageForAPanel(String body) {
    assertTrue(answer(200, body) instanceof BeatOutcome.Unreachable);
  }

  @Test
  void readsCodeDateAndRetryAfterOfARefusal() {
    var headers = headers("date", "Mon, 30 Nov 2026 22:00:00 GMT").add("retry-after", "120");
    assertEquals(
        new BeatOutcome.Refused(
            401,
            Optional.of("AGENT_AUTH_EXPIRED"),
            Optional.of(Instant.parse("2026-11-30T22:00:00Z")),
            Optional.of(Duration.ofMinutes(2))),
        PanelAnswer.parse(
            401, headers, Buffer.buffer("{\"error\":\"x\",\"code\":\"AGENT_AUTH_EXPIRED\"}")));
  }

  @Test
  void countsARetryDateFromThePanelsClock() {
    var headers =
        headers("date", "Mon, 30 Nov 2026 22:00:00 GMT")
            .add("retry-after", "Mon, 30 Nov 2026 22:00:30 GMT");
    var outcome = (BeatOutcome.Refused) PanelAnswer.parse(503, headers, Buffer.buffer());
    assertEquals(Optional.of(Duration.ofSeconds(30)), outcome.retryAfter());
  }

  @ParameterizedTest
  @ValueSource(strings = {"-5", "soon", "", "99999999999999", "Mon, 30 Nov 2026 21:00:00 GMT"})
  void ignoresARetryAfterThatMakesNoSense(String retryAfter) {
    var headers = headers("date", "Mon, 30 Nov 2026 22:00:00 GMT").add("retry-after", retryAfter);
    var outcome = (BeatOutcome.Refused) PanelAnswer.parse(503, headers, Buffer.buffer());
    assertEquals(Optional.empty(), outcome.retryAfter());
  }

  @Test
  void letsNoAnswerForgeALogLine() {
    var outcome = answer(401, "{\"code\":\"X\\nheartbeat accepted\"}");
    assertEquals("refused status=401", outcome.summary());
  }

  private static BeatOutcome answer(int status, String body) {
    return PanelAnswer.parse(status, headers("x", "y"), Buffer.buffer(body));
  }

  private static MultiMap headers(String name, String value) {
    return MultiMap.caseInsensitiveMultiMap().add(name, value);
  }
}
