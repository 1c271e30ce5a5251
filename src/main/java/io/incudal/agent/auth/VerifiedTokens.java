package io.incudal.agent.auth;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.time.Instant;
import java.time.InstantSource;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/**
 * JWTs that were found good, until they expire or the keys change: a caller shows the same one for
 * minutes, and a signature of an elliptic curve takes milliseconds. Keeps digests and no tokens, so
 * that the time which a look takes says nothing about a token.
 *
 * <p>Confined to the event loop.
 */
final class VerifiedTokens {
  /** The least recently used goes first; nobody adds one without the issuer's key. */
  private static final int MAX = 256;

  private final InstantSource clock;
  private final MessageDigest sha256 = TokenAuth.sha256();
  private final Map<ByteBuffer, Verified> known =
      new LinkedHashMap<>(16, 0.75f, true) {
        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(Map.Entry<ByteBuffer, Verified> eldest) {
          return size() > MAX;
        }
      };
  private JwtKeys keys = JwtKeys.NONE;

  VerifiedTokens(InstantSource clock) {
    this.clock = clock;
  }

  private record Verified(Access access, Instant end) {}

  /** By what a token is known. */
  ByteBuffer id(String text) {
    return ByteBuffer.wrap(sha256.digest(text.getBytes(StandardCharsets.ISO_8859_1)));
  }

  /**
   * @param current the keys in force
   */
  Optional<Access> find(ByteBuffer id, JwtKeys current) {
    if (keys != current) {
      keys = current;
      known.clear();
    }
    Verified found = known.get(id);
    if (found == null) {
      return Optional.empty();
    }
    if (!clock.instant().isBefore(found.end())) {
      known.remove(id);
      return Optional.empty();
    }
    return Optional.of(found.access());
  }

  /**
   * @param by the keys that it was verified with; of no use when there are others by now
   * @param end from when on it is good no more
   */
  void add(ByteBuffer id, JwtKeys by, Access access, Instant end) {
    if (keys == by) {
      known.put(id, new Verified(access, end));
    }
  }
}
