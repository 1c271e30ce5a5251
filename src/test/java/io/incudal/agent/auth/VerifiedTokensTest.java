package io.incudal.agent.auth;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;

import java.nio.ByteBuffer;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class VerifiedTokensTest {
  private static final Instant NOON = Instant.parse("2026-07-27T12:00:00Z");
  private static final JwtKeys KEYS = new JwtKeys(List.of(), 0);

  private Instant now = NOON;
  private final VerifiedTokens tokens = new VerifiedTokens(() -> now);
  private final ByteBuffer id = tokens.id("a token");

  @Test
  void areKnownUntilTheyEnd() {
    assertEquals(Optional.empty(), tokens.find(id, KEYS));
    tokens.add(id, KEYS, Access.FULL, NOON.plusSeconds(9));
    now = NOON.plusMillis(8_999);
    assertEquals(Optional.of(Access.FULL), tokens.find(id, KEYS));
    assertEquals(Optional.empty(), tokens.find(tokens.id("a tokem"), KEYS));
    now = NOON.plusSeconds(9);
    assertEquals(Optional.empty(), tokens.find(id, KEYS));
    now = NOON;
    assertEquals(Optional.empty(), tokens.find(id, KEYS), "gone, even if the clock goes back");
  }

  @Test
  void areForgottenWhenTheKeysChange() {
    JwtKeys others = new JwtKeys(List.of(), 1);
    tokens.find(id, KEYS);
    tokens.add(id, KEYS, Access.FULL, NOON.plusSeconds(9));
    assertEquals(Optional.empty(), tokens.find(id, others));
    tokens.add(id, KEYS, Access.FULL, NOON.plusSeconds(9));
    assertEquals(Optional.empty(), tokens.find(id, others), "verified with keys that are gone");
    assertEquals(Optional.empty(), tokens.find(id, KEYS));
  }

  @Test
  void areNotMoreThanThereIsRoomFor() {
    tokens.find(id, KEYS);
    tokens.add(id, KEYS, Access.FULL, NOON.plusSeconds(9));
    ByteBuffer second = tokens.id("0");
    for (int i = 0; i < 256; i++) {
      tokens.add(tokens.id("" + i), KEYS, Access.FULL, NOON.plusSeconds(9));
      if (i == 100) {
        assertNotEquals(Optional.empty(), tokens.find(id, KEYS));
      }
    }
    assertNotEquals(Optional.empty(), tokens.find(id, KEYS));
    assertEquals(Optional.empty(), tokens.find(second, KEYS));
  }
}
