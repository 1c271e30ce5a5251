package io.incudal.agent.api;

import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.PrivateKey;
import java.security.PublicKey;
import java.security.Signature;
import java.security.interfaces.ECPublicKey;
import java.security.interfaces.RSAPublicKey;
import java.security.spec.ECGenParameterSpec;
import java.security.spec.MGF1ParameterSpec;
import java.security.spec.PSSParameterSpec;
import java.util.Arrays;
import java.util.Base64;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/** Makes tokens good and bad, by nothing but Java's own signatures. */
final class Issuer {
  static final String NAME = "https://id.example.com";
  static final String AUDIENCE = "incudal-agent";

  static final KeyPair RSA = pair("RSA");
  static final KeyPair P256 = pair("secp256r1");
  static final KeyPair P384 = pair("secp384r1");
  static final KeyPair P521 = pair("secp521r1");
  static final KeyPair ED25519 = pair("Ed25519");

  private Issuer() {}

  static KeyPair pair(String kind) {
    try {
      if (kind.startsWith("secp")) {
        KeyPairGenerator curve = KeyPairGenerator.getInstance("EC");
        curve.initialize(new ECGenParameterSpec(kind));
        return curve.generateKeyPair();
      }
      return kind.equals("RSA") ? rsa(2048) : KeyPairGenerator.getInstance(kind).generateKeyPair();
    } catch (GeneralSecurityException impossible) {
      throw new IllegalStateException(impossible);
    }
  }

  static KeyPair rsa(int bits) {
    try {
      KeyPairGenerator generator = KeyPairGenerator.getInstance("RSA");
      generator.initialize(bits);
      return generator.generateKeyPair();
    } catch (GeneralSecurityException impossible) {
      throw new IllegalStateException(impossible);
    }
  }

  /** The pair that the tests use for an algorithm. */
  static KeyPair of(String algorithm) {
    return switch (algorithm) {
      case "ES256" -> P256;
      case "ES384" -> P384;
      case "ES512" -> P521;
      case "EdDSA" -> ED25519;
      default -> RSA;
    };
  }

  /** Claims that may do everything. */
  static JsonObject claims() {
    long now = System.currentTimeMillis() / 1000;
    return new JsonObject()
        .put("iss", NAME)
        .put("aud", AUDIENCE)
        .put("sub", "control-plane")
        .put("exp", now + 300)
        .put("nbf", now)
        .put("iat", now)
        .put("scope", "lun:read lun:write logs:read metrics:read");
  }

  static JsonObject header(String algorithm) {
    return new JsonObject().put("alg", algorithm).put("typ", "JWT");
  }

  static String token(JsonObject header, String claims, KeyPair signer) {
    String content = part(header.encode()) + "." + part(claims);
    return content + "." + encode(sign(header.getString("alg"), signer.getPrivate(), content));
  }

  static String shared(JsonObject header, String claims, byte[] secret) {
    String content = part(header.encode()) + "." + part(claims);
    return content + "." + encode(mac(header.getString("alg"), secret, content));
  }

  static String part(String json) {
    return encode(json.getBytes(StandardCharsets.UTF_8));
  }

  static String encode(byte[] bytes) {
    return Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
  }

  static byte[] sign(String algorithm, PrivateKey key, String content) {
    try {
      String hash = algorithm.substring(2);
      Signature signature =
          switch (algorithm.substring(0, 2)) {
            case "RS" -> Signature.getInstance("SHA" + hash + "withRSA");
            case "PS" -> pss(hash);
            case "ES" -> Signature.getInstance("SHA" + hash + "withECDSAinP1363Format");
            default -> Signature.getInstance("EdDSA");
          };
      signature.initSign(key);
      signature.update(content.getBytes(StandardCharsets.US_ASCII));
      return signature.sign();
    } catch (GeneralSecurityException impossible) {
      throw new IllegalStateException(impossible);
    }
  }

  static byte[] mac(String algorithm, byte[] secret, String content) {
    try {
      Mac mac = Mac.getInstance("HmacSHA" + algorithm.substring(2));
      mac.init(new SecretKeySpec(secret, "Hmac"));
      return mac.doFinal(content.getBytes(StandardCharsets.US_ASCII));
    } catch (GeneralSecurityException impossible) {
      throw new IllegalStateException(impossible);
    }
  }

  private static Signature pss(String hash) throws GeneralSecurityException {
    Signature signature = Signature.getInstance("RSASSA-PSS");
    signature.setParameter(
        new PSSParameterSpec(
            "SHA-" + hash,
            "MGF1",
            new MGF1ParameterSpec("SHA-" + hash),
            Integer.parseInt(hash) / 8,
            1));
    return signature;
  }

  static JsonObject jwks(JsonObject... keys) {
    return new JsonObject().put("keys", new JsonArray(Arrays.asList((Object[]) keys)));
  }

  /** As RFC 7517 writes it; without {@code alg} and {@code use}. */
  static JsonObject jwk(String id, PublicKey key) {
    var jwk = new JsonObject().put("kid", id);
    if (key instanceof RSAPublicKey rsa) {
      return jwk.put("kty", "RSA")
          .put("n", encode(unsigned(rsa.getModulus(), rsa.getModulus().bitLength() / 8)))
          .put("e", encode(unsigned(rsa.getPublicExponent(), 3)));
    }
    if (key instanceof ECPublicKey ec) {
      int bits = ec.getParams().getOrder().bitLength();
      int length = (bits + 7) / 8;
      return jwk.put("kty", "EC")
          .put("crv", "P-" + bits)
          .put("x", encode(unsigned(ec.getW().getAffineX(), length)))
          .put("y", encode(unsigned(ec.getW().getAffineY(), length)));
    }
    byte[] encoded = key.getEncoded();
    return jwk.put("kty", "OKP")
        .put("crv", "Ed25519")
        .put("x", encode(Arrays.copyOfRange(encoded, encoded.length - 32, encoded.length)));
  }

  static String pem(String kind, byte[] content) {
    return "-----BEGIN "
        + kind
        + "-----\n"
        + Base64.getMimeEncoder(64, new byte[] {'\n'}).encodeToString(content)
        + "\n-----END "
        + kind
        + "-----\n";
  }

  private static byte[] unsigned(BigInteger number, int length) {
    byte[] bytes = number.toByteArray();
    byte[] exact = new byte[length];
    int used = Math.min(bytes.length, length);
    System.arraycopy(bytes, bytes.length - used, exact, length - used, used);
    return exact;
  }
}
