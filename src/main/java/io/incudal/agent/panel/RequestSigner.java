package io.incudal.agent.panel;

import io.incudal.agent.config.Secret;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.Map;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/**
 * Signs requests to the panel: HMAC-SHA256 over method, path, time, nonce and the body's hash.
 *
 * <p>Pure; any thread. Never takes a time or a random number by itself.
 */
final class RequestSigner {
  private final String agentId;
  private final SecretKeySpec key;

  RequestSigner(String agentId, Secret secret) {
    this.agentId = agentId;
    this.key = new SecretKeySpec(secret.bytes(), "HmacSHA256");
  }

  /**
   * @param path as it is sent, without a query
   * @param millis Unix time by the panel's clock
   * @param nonce never used before
   */
  record Signable(String method, String path, long millis, String nonce, byte[] body) {}

  /** The headers that make the panel believe the request. */
  Map<String, String> headers(Signable request) {
    String time = Long.toString(request.millis());
    String bodyHash = hex(sha256(request.body()));
    String payload =
        String.join("\n", request.method(), request.path(), time, request.nonce(), bodyHash);
    Map<String, String> headers = new LinkedHashMap<>();
    headers.put("x-incudal-agent-id", agentId);
    headers.put("x-incudal-timestamp", time);
    headers.put("x-incudal-nonce", request.nonce());
    headers.put("x-incudal-body-sha256", bodyHash);
    headers.put("x-incudal-signature", hex(hmac(payload)));
    return headers;
  }

  private byte[] hmac(String payload) {
    try {
      Mac mac = Mac.getInstance("HmacSHA256");
      mac.init(key);
      return mac.doFinal(payload.getBytes(StandardCharsets.UTF_8));
    } catch (GeneralSecurityException impossible) {
      throw new IllegalStateException("every Java has HmacSHA256", impossible);
    }
  }

  private static byte[] sha256(byte[] bytes) {
    try {
      return MessageDigest.getInstance("SHA-256").digest(bytes);
    } catch (GeneralSecurityException impossible) {
      throw new IllegalStateException("every Java has SHA-256", impossible);
    }
  }

  private static String hex(byte[] bytes) {
    return HexFormat.of().formatHex(bytes);
  }
}
