package io.incudal.agent.panel;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.vertx.core.json.JsonObject;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** B82: one body, one text, in every language. */
class CanonicalJsonTest {
  @Test
  void sortsKeysByTheirUtf8Bytes() {
    Map<String, Object> keys = new LinkedHashMap<>();
    List.of("z", "\uE000", "😀", "é", "B", "10", "9").forEach(key -> keys.put(key, 1));
    assertEquals(
        "{\"10\":1,\"9\":1,\"B\":1,\"z\":1,\"é\":1,\"\uE000\":1,\"😀\":1}",
        CanonicalJson.print(keys));
  }

  @Test
  void printsEveryIntegerAsTheDoubleThatThePanelReads() {
    assertEquals("9007199254740992", CanonicalJson.print((1L << 53) + 1));
    assertEquals("9223372036854776000", CanonicalJson.print(Long.MAX_VALUE));
    assertEquals("1e+30", CanonicalJson.print(BigInteger.TEN.pow(30)));
    assertEquals("0.1", CanonicalJson.print(new BigDecimal("0.10")));
  }

  @Test
  void printsMinusZeroAsZero() {
    assertEquals("[0,1]", CanonicalJson.print(List.of(-0.0, 1.0)));
  }

  @Test
  void escapesOnlyWhatHasToBe() {
    assertEquals(
        "\"/<>&'\\\"\\\\\\b\\f\\n\\r\\t\\u0000\\u001f\u007f\\u2028\\u2029é😀\"",
        CanonicalJson.print("/<>&'\"\\\b\f\n\r\t\u0000\u001f\u007f\u2028\u2029é😀"));
  }

  @Test
  void escapesHalfASurrogatePair() {
    assertEquals("\"a\\ud83db\"", CanonicalJson.print("a\ud83db"));
  }

  @Test
  void keepsTheOrderOfListsAndPrintsNulls() {
    assertEquals(
        "{\"a\":[3,null,true,\"x\",{}]}",
        CanonicalJson.print(Map.of("a", Arrays.asList(3, null, true, "x", Map.of()))));
  }

  @Test
  void printsVertxJsonTheSameWay() {
    String text = "{\"b\":[1,2.50,{\"d\":1,\"c\":2}],\"a\":null}";
    assertEquals(
        "{\"a\":null,\"b\":[1,2.5,{\"c\":2,\"d\":1}]}", CanonicalJson.print(new JsonObject(text)));
  }

  @Test
  void refusesWhatIsNoJson() {
    assertThrows(IllegalArgumentException.class, () -> CanonicalJson.print(new Object()));
  }
}
