package io.incudal.agent.support;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.vertx.core.buffer.Buffer;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class StrictJsonTest {
  @Test
  void keepsValuesAsTheyWereSent() {
    Map<String, Object> members =
        StrictJson.parse(
            Buffer.buffer(
                "{\"s\":\"\",\"n\":null,\"i\":5,\"d\":1.50,\"b\":true,\"l\":[1,\"x\"],\"o\":{\"k\":0},"
                    + "\"big\":123456789012345678901234567890,\"huge\":1e400}"));
    assertEquals("", members.get("s"));
    assertNull(members.get("n"));
    assertEquals(5, members.get("i"));
    assertEquals(new BigDecimal("1.50"), members.get("d"));
    assertEquals(true, members.get("b"));
    assertEquals(List.of(1, "x"), members.get("l"));
    assertEquals(Map.of("k", 0), members.get("o"));
    assertEquals(new BigInteger("123456789012345678901234567890"), members.get("big"));
    assertEquals(new BigDecimal("1e400"), members.get("huge"));
  }

  @Test
  void readsNamesBeyondAscii() {
    assertEquals(
        "/data/磁盘\uD83D\uDE00",
        StrictJson.parse(Buffer.buffer("{\"a\":\"/data/磁盘\\ud83d\\ude00\"}")).get("a"));
  }

  @Test
  void passesOverAByteOrderMarkAndBlanks() {
    assertEquals(1, StrictJson.parse(Buffer.buffer("\uFEFF \r\n\t{\"a\":1}\n ")).get("a"));
  }

  static Stream<Buffer> broken() {
    return Stream.of(
            "",
            " \n",
            "null",
            "[]",
            "[{}]",
            "5",
            "\"text\"",
            "true",
            "{",
            "{}}",
            "{\"a\":1}{\"b\":2}",
            "{\"a\":1} x",
            "{\"a\":1,}",
            "{\"a\":1,\"a\":2}",
            "{\"o\":{\"a\":1,\"a\":2}}",
            "{'a':1}",
            "{a:1}",
            "{\"a\":01}",
            "{\"a\":+1}",
            "{\"a\":.5}",
            "{\"a\":NaN}",
            "{\"a\":Infinity}",
            "{\"a\":0x10}",
            "{\"a\":\"\t\"}",
            "{\"a\":\"\\x41\"}",
            "{\"a\":\"\\ud83d\"}",
            "{\"a\":[\"\\ude00\\ud83d\"]}",
            "{\"\\ud83d\":1}",
            "// comment\n{}",
            "iqn=x&size=1G",
            "--boundary\r\nContent-Disposition: form-data; name=\"iqn\"\r\n\r\nx",
            "{\"a\":" + "[".repeat(33) + "]".repeat(33) + "}",
            "{\"a\":" + "[".repeat(30_000) + "]".repeat(30_000) + "}",
            "{\"a\":" + "9".repeat(101) + "}",
            "{\"a\":1e999999999999}")
        .map(Buffer::buffer);
  }

  @ParameterizedTest
  @MethodSource
  void broken(Buffer body) {
    assertInvalid(body);
  }

  static Stream<byte[]> notUtf8() {
    return Stream.of(
        new byte[] {'{', '"', 'a', '"', ':', '"', (byte) 0xff, '"', '}'},
        new byte[] {'{', '"', 'a', '"', ':', '"', (byte) 0xc3, '"', '}'},
        new byte[] {'{', '"', 'a', '"', ':', '"', (byte) 0xc0, (byte) 0xaf, '"', '}'},
        new byte[] {'{', '"', (byte) 0xed, (byte) 0xa0, (byte) 0x80, '"', ':', '1', '}'},
        "{\"a\":1}".getBytes(java.nio.charset.StandardCharsets.UTF_16LE),
        "{\"a\":1}".getBytes(java.nio.charset.StandardCharsets.UTF_16));
  }

  @ParameterizedTest
  @MethodSource
  void notUtf8(byte[] body) {
    assertInvalid(Buffer.buffer(body));
  }

  @Test
  void saysWhereItBrokeButNotWhatWasThere() {
    var failure =
        assertThrows(
            IllegalArgumentException.class,
            () -> StrictJson.parse(Buffer.buffer("{\"token\": hunter2hunter2 }")));
    assertTrue(failure.getMessage().contains("line 1, column"), failure.getMessage());
    assertFalse(failure.getMessage().contains("hunter"), failure.getMessage());
  }

  private static void assertInvalid(Buffer body) {
    assertThrows(IllegalArgumentException.class, () -> StrictJson.parse(body));
  }
}
