package io.incudal.agent.auth;

import static io.incudal.agent.auth.JwtClaims.require;

import io.incudal.agent.config.Secret;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.ext.auth.JWTOptions;
import io.vertx.ext.auth.PubSecKeyOptions;
import io.vertx.ext.auth.authentication.TokenCredentials;
import io.vertx.ext.auth.jwt.JWTAuth;
import io.vertx.ext.auth.jwt.JWTAuthOptions;
import java.security.PublicKey;
import java.security.interfaces.ECPublicKey;
import java.security.interfaces.EdECPublicKey;
import java.security.interfaces.RSAPublicKey;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;

/**
 * One key, and the algorithms that tokens may be signed with for it. The algorithm follows from the
 * key and never from the token alone: a public key is never the secret of an HMAC.
 *
 * <p>Each key has a {@link JWTAuth} of its own. One without any key would accept unsigned tokens,
 * which is what vertx-auth-jwt makes of a JWKS whose keys it does not understand.
 */
final class JwtKey {
  private static final List<String> RSA =
      List.of("RS256", "RS384", "RS512", "PS256", "PS384", "PS512");

  /** By the size of the curve, as Java has no other curves of these sizes. */
  private static final Map<Integer, String> EC = Map.of(256, "ES256", 384, "ES384", 521, "ES512");

  private final Optional<String> id;
  private final Map<String, Integer> lengths;
  private final JWTAuth verifier;

  /**
   * @param lengths of signatures in bytes, by algorithm
   */
  private JwtKey(Optional<String> id, Map<String, Integer> lengths, JWTAuth verifier) {
    this.id = id;
    this.lengths = lengths;
    this.verifier = verifier;
  }

  /** Makes keys that demand the same of every token. */
  record Maker(Vertx vertx, JWTOptions demands) {
    JwtKey shared(Secret secret) {
      return make(Optional.empty(), Map.of("HS256", 32), Buffer.buffer(secret.bytes()));
    }

    /**
     * @param algorithm the only one that the key is for
     * @throws IllegalArgumentException when it is not fit for this
     */
    JwtKey of(PublicKey key, Optional<String> id, Optional<String> algorithm) {
      Map<String, Integer> lengths = new TreeMap<>(signatureLengths(key));
      algorithm.ifPresent(only -> lengths.keySet().retainAll(Set.of(only)));
      require(!lengths.isEmpty(), "it is for another algorithm");
      return make(id, lengths, pem(key));
    }

    private JwtKey make(Optional<String> id, Map<String, Integer> lengths, Buffer material) {
      var options = new JWTAuthOptions().setJWTOptions(demands);
      for (String algorithm : lengths.keySet()) {
        options.addPubSecKey(new PubSecKeyOptions().setAlgorithm(algorithm).setBuffer(material));
      }
      return new JwtKey(id, lengths, JWTAuth.create(vertx, options));
    }
  }

  Optional<String> id() {
    return id;
  }

  boolean isFor(String algorithm) {
    return lengths.containsKey(algorithm);
  }

  /**
   * Fails when the token is not signed with this key, or its claims are not what is demanded. The
   * length is looked at here, because vertx-auth-jwt fills up short signatures with zeros.
   */
  Future<Void> verify(JwtToken token) {
    require(token.signatureLength() == lengths.get(token.algorithm()), "signature");
    return verifier
        .authenticate(new TokenCredentials(token.text()))
        .recover(why -> Future.failedFuture(new IllegalArgumentException("signature", why)))
        .mapEmpty();
  }

  private static Map<String, Integer> signatureLengths(PublicKey key) {
    if (key instanceof RSAPublicKey rsa) {
      int bits = rsa.getModulus().bitLength();
      require(bits >= 2048 && bits <= 8192, "an RSA key has to have 2048 to 8192 bits");
      Map<String, Integer> all = new TreeMap<>();
      RSA.forEach(algorithm -> all.put(algorithm, (bits + 7) / 8));
      return all;
    }
    if (key instanceof ECPublicKey ec) {
      int bits = ec.getParams().getOrder().bitLength();
      require(EC.containsKey(bits), "its curve is none of P-256, P-384 and P-521");
      return Map.of(EC.get(bits), 2 * ((bits + 7) / 8));
    }
    if (key instanceof EdECPublicKey ed && ed.getParams().getName().equals("Ed25519")) {
      return Map.of("EdDSA", 64);
    }
    throw new IllegalArgumentException("it is none of RSA, EC and Ed25519");
  }

  /** In the one form that vertx-auth-jwt reads or fails at, and never passes over. */
  private static Buffer pem(PublicKey key) {
    String lines = Base64.getMimeEncoder(64, new byte[] {'\n'}).encodeToString(key.getEncoded());
    return Buffer.buffer("-----BEGIN PUBLIC KEY-----\n" + lines + "\n-----END PUBLIC KEY-----\n");
  }
}
