package io.incudal.agent.auth;

import static io.incudal.agent.auth.JwtClaims.require;

import java.io.ByteArrayOutputStream;
import java.math.BigInteger;
import java.security.AlgorithmParameters;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.PublicKey;
import java.security.spec.ECFieldFp;
import java.security.spec.ECGenParameterSpec;
import java.security.spec.ECParameterSpec;
import java.security.spec.ECPoint;
import java.security.spec.ECPublicKeySpec;
import java.security.spec.EllipticCurve;
import java.security.spec.RSAPublicKeySpec;
import java.security.spec.X509EncodedKeySpec;
import java.util.Base64;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * One key of a JWKS (RFC 7517, 7518, 8037). Only the key itself is looked at, never a certificate
 * beside it, which could name another one.
 */
record Jwk(PublicKey publicKey, Optional<String> id, Optional<String> algorithm) {
  private static final Map<String, String> CURVES =
      Map.of("P-256", "secp256r1", "P-384", "secp384r1", "P-521", "secp521r1");

  /** What stands before the 32 bytes of an Ed25519 key in the form that Java reads (RFC 8410). */
  private static final byte[] ED25519 = HexFormat.of().parseHex("302a300506032b6570032100");

  /**
   * @throws IllegalArgumentException when it is no public key for signatures
   * @throws GeneralSecurityException when Java cannot make a key of it
   */
  static Jwk parse(Object item) throws GeneralSecurityException {
    Map<String, Object> members = members(item);
    require(string(members, "use").map("sig"::equals).orElse(true), "it is not for signatures");
    require(
        !members.containsKey("key_ops")
            || (members.get("key_ops") instanceof List<?> uses && uses.contains("verify")),
        "it is not for verification");
    require(!members.containsKey("d") && !members.containsKey("k"), "it is no public key");
    PublicKey key =
        switch (string(members, "kty").orElse("")) {
          case "RSA" ->
              KeyFactory.getInstance("RSA")
                  .generatePublic(new RSAPublicKeySpec(number(members, "n"), number(members, "e")));
          case "EC" -> curvePoint(members);
          case "OKP" -> edwards(members);
          default -> throw new IllegalArgumentException("it is none of RSA, EC and Ed25519");
        };
    return new Jwk(key, string(members, "kid"), string(members, "alg"));
  }

  JwtKey key(JwtKey.Maker maker) {
    return maker.of(publicKey, id, algorithm);
  }

  @SuppressWarnings("unchecked")
  private static Map<String, Object> members(Object item) {
    require(item instanceof Map, "it is no JSON object");
    return (Map<String, Object>) item;
  }

  private static Optional<String> string(Map<String, Object> members, String name) {
    return JwtToken.string(members, name);
  }

  private static byte[] bytes(Map<String, Object> members, String name) {
    return Base64.getUrlDecoder().decode(string(members, name).orElse(""));
  }

  private static BigInteger number(Map<String, Object> members, String name) {
    return new BigInteger(1, bytes(members, name));
  }

  private static PublicKey curvePoint(Map<String, Object> members) throws GeneralSecurityException {
    String curve = CURVES.get(string(members, "crv").orElse(""));
    require(curve != null, "its curve is none of P-256, P-384 and P-521");
    AlgorithmParameters parameters = AlgorithmParameters.getInstance("EC");
    parameters.init(new ECGenParameterSpec(curve));
    var domain = parameters.getParameterSpec(ECParameterSpec.class);
    var point = new ECPoint(number(members, "x"), number(members, "y"));
    require(isOn(domain.getCurve(), point), "it is no point of its curve");
    return KeyFactory.getInstance("EC").generatePublic(new ECPublicKeySpec(point, domain));
  }

  /** Java takes any point: y² = x³ + ax + b. */
  private static boolean isOn(EllipticCurve curve, ECPoint point) {
    BigInteger prime = ((ECFieldFp) curve.getField()).getP();
    BigInteger x = point.getAffineX();
    BigInteger y = point.getAffineY();
    BigInteger right = x.pow(2).add(curve.getA()).multiply(x).add(curve.getB());
    return x.compareTo(prime) < 0
        && y.compareTo(prime) < 0
        && y.pow(2).subtract(right).mod(prime).signum() == 0;
  }

  private static PublicKey edwards(Map<String, Object> members) throws GeneralSecurityException {
    require(
        string(members, "crv").filter("Ed25519"::equals).isPresent(), "its curve is not Ed25519");
    byte[] key = bytes(members, "x");
    require(key.length == 32, "its length is not that of an Ed25519 key");
    var encoded = new ByteArrayOutputStream();
    encoded.writeBytes(ED25519);
    encoded.writeBytes(key);
    return KeyFactory.getInstance("EdDSA")
        .generatePublic(new X509EncodedKeySpec(encoded.toByteArray()));
  }
}
