package io.incudal.agent.auth;

import io.incudal.agent.config.Secret;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.List;
import java.util.stream.Stream;

/**
 * The static token, and the one before it while tokens are being changed.
 *
 * <p>Compares digests, all of them, in constant time: neither content nor length nor which of them
 * it was shows in the time taken. Confined to the event loop; keeps no token, only digests.
 */
final class TokenAuth {
  private final MessageDigest sha256 = sha256();
  private List<byte[]> accepted = List.of();

  /** Accepts these tokens from now on, and no others. */
  void accept(Stream<Secret> tokens) {
    accepted = tokens.map(Secret::bytes).map(sha256::digest).toList();
  }

  boolean accepts(String text) {
    // Header bytes become characters one by one, so this gives back what was on the wire.
    byte[] digest = sha256.digest(text.getBytes(StandardCharsets.ISO_8859_1));
    boolean equal = false;
    for (byte[] known : accepted) {
      equal |= MessageDigest.isEqual(known, digest);
    }
    return equal;
  }

  static MessageDigest sha256() {
    try {
      return MessageDigest.getInstance("SHA-256");
    } catch (NoSuchAlgorithmException impossible) {
      throw new IllegalStateException("every Java has SHA-256", impossible);
    }
  }
}
