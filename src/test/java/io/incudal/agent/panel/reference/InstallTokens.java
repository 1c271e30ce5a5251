package io.incudal.agent.panel.reference;

import java.security.SecureRandom;
import java.time.Duration;
import java.time.Instant;
import java.util.Base64;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/** One-time tokens that an install script exchanges for an agent's id and secret. */
final class InstallTokens {
  private static final Duration LIFE = Duration.ofMinutes(30);

  private final SecureRandom random = new SecureRandom();
  private final Map<String, Grant> grants = new HashMap<>();

  /** What a token is exchanged for. */
  record Identity(String id, String secret) {}

  private record Grant(Identity identity, Instant until) {}

  String issue(Identity identity, Instant now) {
    String token = "ait_" + word(30);
    grants.put(token, new Grant(identity, now.plus(LIFE)));
    return token;
  }

  /** Empty for a token that is unknown, used or too old. */
  Optional<Identity> exchange(String token, Instant now) {
    return Optional.ofNullable(grants.remove(token))
        .filter(grant -> now.isBefore(grant.until()))
        .map(Grant::identity);
  }

  Identity newIdentity() {
    return new Identity("agt_" + word(24), "ias_" + word(36));
  }

  private String word(int bytes) {
    byte[] word = new byte[bytes];
    random.nextBytes(word);
    return Base64.getUrlEncoder().withoutPadding().encodeToString(word);
  }
}
