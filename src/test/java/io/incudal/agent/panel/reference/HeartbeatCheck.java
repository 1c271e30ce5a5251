package io.incudal.agent.panel.reference;

import io.incudal.agent.panel.PanelFormat;
import io.vertx.core.MultiMap;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.json.DecodeException;
import io.vertx.core.json.JsonObject;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/** What a panel checks of a heartbeat, in a panel's order; each failure is the panel's code. */
final class HeartbeatCheck {
  private static final Duration WINDOW = Duration.ofMinutes(5);
  private static final Pattern ID = Pattern.compile("agt_[A-Za-z0-9_-]{24,64}");
  private static final Pattern SECRET = Pattern.compile("ias_[A-Za-z0-9_-]{32,96}");
  private static final Pattern TIME = Pattern.compile("\\d{13}");
  private static final Pattern NONCE = Pattern.compile("[A-Za-z0-9._:-]{8,128}");
  private static final Pattern HASH = Pattern.compile("[0-9a-f]{64}");

  private final Map<String, String> secrets = new HashMap<>();
  private final Set<String> disabled = new HashSet<>();
  private final Set<String> nonces = new HashSet<>();

  void enrol(String id, String secret) {
    secrets.put(id, secret);
    disabled.remove(id);
  }

  void disable(String id) {
    disabled.add(id);
  }

  Optional<String> problem(String path, MultiMap headers, Buffer body, Instant now) {
    var sent = new Sent(headers);
    if (!sent.complete()) {
      return Optional.of("AGENT_AUTH_REQUIRED");
    }
    if (!sent.wellFormed() || !secrets.containsKey(sent.id)) {
      return Optional.of("AGENT_AUTH_INVALID");
    }
    Instant signed = Instant.ofEpochMilli(Long.parseLong(sent.time));
    if (Duration.between(signed, now).abs().compareTo(WINDOW) > 0) {
      return Optional.of("AGENT_AUTH_EXPIRED");
    }
    if (!sent.hash.equals(canonicalHash(body))) {
      return Optional.of("AGENT_BODY_HASH_MISMATCH");
    }
    if (disabled.contains(sent.id)) {
      return Optional.of("AGENT_DISABLED");
    }
    String secret = secrets.get(sent.id);
    if (!SECRET.matcher(secret).matches()) {
      return Optional.of("AGENT_SECRET_INVALID");
    }
    String payload = String.join("\n", "POST", path, sent.time, sent.nonce, sent.hash);
    if (!sent.signature.equals(hmac(secret, payload))) {
      return Optional.of("AGENT_SIGNATURE_INVALID");
    }
    return nonces.add(sent.nonce) ? Optional.empty() : Optional.of("AGENT_NONCE_REPLAY");
  }

  /** As a panel does it: parse, print again, hash. The body as it was sent may differ from that. */
  private static String canonicalHash(Buffer body) {
    try {
      String printed = PanelFormat.print(new JsonObject(body));
      return HexFormat.of().formatHex(sha256(printed.getBytes(StandardCharsets.UTF_8)));
    } catch (DecodeException noJson) {
      return "";
    }
  }

  private static byte[] sha256(byte[] bytes) {
    try {
      return MessageDigest.getInstance("SHA-256").digest(bytes);
    } catch (GeneralSecurityException impossible) {
      throw new IllegalStateException(impossible);
    }
  }

  private static String hmac(String secret, String payload) {
    try {
      Mac mac = Mac.getInstance("HmacSHA256");
      mac.init(new SecretKeySpec(secret.getBytes(StandardCharsets.UTF_8), "HmacSHA256"));
      return HexFormat.of().formatHex(mac.doFinal(payload.getBytes(StandardCharsets.UTF_8)));
    } catch (GeneralSecurityException impossible) {
      throw new IllegalStateException(impossible);
    }
  }

  private static final class Sent {
    final String id;
    final String time;
    final String nonce;
    final String hash;
    final String signature;

    Sent(MultiMap headers) {
      id = headers.get("x-incudal-agent-id");
      time = headers.get("x-incudal-timestamp");
      nonce = headers.get("x-incudal-nonce");
      hash = headers.get("x-incudal-body-sha256");
      signature = headers.get("x-incudal-signature");
    }

    boolean complete() {
      return id != null && time != null && nonce != null && hash != null && signature != null;
    }

    boolean wellFormed() {
      return ID.matcher(id).matches()
          && TIME.matcher(time).matches()
          && NONCE.matcher(nonce).matches()
          && HASH.matcher(hash).matches()
          && HASH.matcher(signature).matches();
    }
  }
}
