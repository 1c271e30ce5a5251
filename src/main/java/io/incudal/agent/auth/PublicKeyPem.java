package io.incudal.agent.auth;

import java.io.ByteArrayInputStream;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.PublicKey;
import java.security.cert.CertificateFactory;
import java.security.spec.X509EncodedKeySpec;
import java.util.Base64;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Reads the first public key, or certificate, of a PEM file. */
final class PublicKeyPem {
  private static final Pattern BLOCK =
      Pattern.compile("-----BEGIN ([A-Z0-9 ]+)-----([^-]*)-----END \\1-----");

  private PublicKeyPem() {}

  /**
   * @throws IllegalArgumentException when there is none that Java knows
   */
  static PublicKey parse(String file) {
    Matcher block = BLOCK.matcher(file);
    JwtClaims.require(block.find(), "it is no PEM file");
    byte[] content = Base64.getMimeDecoder().decode(block.group(2));
    return switch (block.group(1)) {
      case "PUBLIC KEY" -> key(content);
      case "CERTIFICATE" -> certified(content);
      default ->
          throw new IllegalArgumentException(
              "it holds no PUBLIC KEY and no CERTIFICATE; openssl pkey -pubout makes one");
    };
  }

  private static PublicKey key(byte[] encoded) {
    for (String kind : List.of("RSA", "EC", "EdDSA")) {
      try {
        return KeyFactory.getInstance(kind).generatePublic(new X509EncodedKeySpec(encoded));
      } catch (GeneralSecurityException anotherKind) {
        // Java tells them apart only by trying.
      }
    }
    throw new IllegalArgumentException("it is none of RSA, EC and Ed25519");
  }

  private static PublicKey certified(byte[] encoded) {
    try {
      return CertificateFactory.getInstance("X.509")
          .generateCertificate(new ByteArrayInputStream(encoded))
          .getPublicKey();
    } catch (GeneralSecurityException broken) {
      throw new IllegalArgumentException("its certificate cannot be read", broken);
    }
  }
}
