package io.incudal.agent.target;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.incudal.agent.bus.AgentException;
import io.incudal.agent.bus.ErrorCode;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class IqnTest {
  private static final String BASE = "iqn.2026-07.com.controller";

  /** B21: what is created, compared and returned is the lower-cased form. */
  @Test
  void foldsToLowerCase() {
    Iqn iqn = Iqn.parse(BASE, "IQN.2026-07.com.Controller:Worker-02.Ubuntu");
    assertEquals(BASE + ":worker-02.ubuntu", iqn.value());
    assertEquals("worker-02.ubuntu", iqn.suffix(BASE));
  }

  @ParameterizedTest
  @ValueSource(strings = {"iqn.2026-07.com.controller", "iqn.2026-07.com.controllers:a", "x", ""})
  void refusesAnotherBaseWithTheExpectedPrefix(String sent) {
    var failure = assertThrows(AgentException.class, () -> Iqn.parse(BASE, sent));
    assertEquals(ErrorCode.IQN_BASE_MISMATCH, failure.code());
    assertEquals("iqn base mismatch", failure.getMessage());
    assertEquals(BASE + ":", failure.members().get("expected_prefix"));
  }

  /** B05: neither back end takes an underscore or a blank; the Kelvin sign is no K. */
  @ParameterizedTest
  @ValueSource(strings = {"", "a_b", "a b", "a\nb", "a/b", "é", "\u212A", "a,b", "a\0"})
  void refusesWhatNoBackEndTakes(String suffix) {
    var failure = assertThrows(AgentException.class, () -> Iqn.parse(BASE, BASE + ":" + suffix));
    assertEquals(ErrorCode.INVALID_IQN, failure.code());
  }

  @Test
  void refusesMoreThan223Bytes() {
    String longest = BASE + ":" + "a".repeat(223 - BASE.length() - 1);
    assertEquals(longest, Iqn.parse(BASE, longest).value());
    var failure = assertThrows(AgentException.class, () -> Iqn.parse(BASE, longest + "a"));
    assertEquals(ErrorCode.INVALID_IQN, failure.code());
  }
}
