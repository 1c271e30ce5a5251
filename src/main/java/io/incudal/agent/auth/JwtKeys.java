package io.incudal.agent.auth;

import io.incudal.agent.support.StrictJson;
import io.vertx.core.buffer.Buffer;
import java.security.GeneralSecurityException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The keys in force.
 *
 * @param unusable how many others the set has, which tokens cannot be verified with
 */
record JwtKeys(List<JwtKey> all, int unusable) {
  private static final Logger LOG = LoggerFactory.getLogger(JwtKeys.class);

  static final JwtKeys NONE = new JwtKeys(List.of(), 0);

  JwtKeys {
    all = List.copyOf(all);
  }

  /**
   * Reads a JWKS. Keys that are not for this (encryption, curves that Java lacks) are passed over,
   * as RFC 7517 wants it; so are secrets and private keys, which have no place in it.
   *
   * @throws IllegalArgumentException when it is none
   */
  static JwtKeys parse(Buffer jwks, JwtKey.Maker maker) {
    Object list;
    try {
      list = StrictJson.parse(jwks).get("keys");
    } catch (IllegalArgumentException broken) {
      throw new IllegalArgumentException("it " + broken.getMessage(), broken);
    }
    if (!(list instanceof List<?> items)) {
      throw new IllegalArgumentException("it has no list 'keys'");
    }
    List<JwtKey> good = new ArrayList<>();
    for (Object item : items) {
      try {
        good.add(Jwk.parse(item).key(maker));
      } catch (GeneralSecurityException | RuntimeException unusable) {
        LOG.info("key of the jwks passed over reason=\"{}\"", unusable.getMessage());
      }
    }
    return new JwtKeys(good, items.size() - good.size());
  }

  /**
   * The one key that a token can be verified with: the one that it names, or the only one that fits
   * when it names none or the keys have no names. Never a second one to be tried, so that no token
   * costs more than one verification.
   */
  Optional<JwtKey> of(JwtToken token) {
    List<JwtKey> fitting = all.stream().filter(key -> key.isFor(token.algorithm())).toList();
    if (token.keyId().isPresent()) {
      return only(fitting, key -> key.id().equals(token.keyId()))
          .or(() -> only(fitting, key -> key.id().isEmpty()));
    }
    return only(fitting, key -> true);
  }

  /** Tells the operator that they are in force now. */
  void announce() {
    if (all.isEmpty()) {
      LOG.warn("jwt keys in force usable=0 unusable={}, every jwt is refused", unusable);
    } else {
      LOG.info("jwt keys in force usable={} unusable={}", all.size(), unusable);
    }
  }

  private static Optional<JwtKey> only(List<JwtKey> keys, Predicate<JwtKey> rule) {
    List<JwtKey> left = keys.stream().filter(rule).toList();
    return left.size() == 1 ? Optional.of(left.get(0)) : Optional.empty();
  }
}
