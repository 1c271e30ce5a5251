package io.incudal.agent.api;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import io.incudal.agent.config.JwtConfig;
import io.incudal.agent.panel.reference.SelfSignedCertificate;
import io.vertx.core.Vertx;
import io.vertx.core.json.JsonObject;
import io.vertx.junit5.VertxExtension;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.security.KeyPair;
import java.security.KeyStore;
import java.security.PrivateKey;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Keys in files, which change while the agent runs. */
@ExtendWith(VertxExtension.class)
class JwtKeysTest {
  @TempDir private Path directory;

  @ParameterizedTest
  @ValueSource(strings = {"RS256", "PS512", "ES256", "ES384", "ES512", "EdDSA"})
  void takesAPublicKeyInPem(String algorithm, Vertx vertx) throws IOException {
    KeyPair pair = Issuer.of(algorithm);
    Path file = write("key.pem", "A comment\n" + pem(pair));
    JwtServer server = JwtServer.start(vertx, new JwtConfig.PublicKeyFile(file));
    assertEquals(200, server.status(signed(Issuer.header(algorithm), pair)));
    JsonObject named = Issuer.header(algorithm).put("kid", "any");
    assertEquals(200, server.status(signed(named, pair)));
    KeyPair other = Issuer.pair(algorithm.startsWith("ES") ? "secp256r1" : "RSA");
    String called = algorithm.startsWith("ES") ? "ES256" : "RS256";
    assertEquals(401, server.status(signed(Issuer.header(called), other)));
  }

  @Test
  void takesACertificateInPem(Vertx vertx) throws Exception {
    SelfSignedCertificate certificate = SelfSignedCertificate.make(directory);
    JwtServer server = JwtServer.start(vertx, new JwtConfig.PublicKeyFile(certificate.pem()));
    char[] password = SelfSignedCertificate.PASSWORD.toCharArray();
    KeyStore store = KeyStore.getInstance(certificate.keyStore().toFile(), password);
    var pair = new KeyPair(null, (PrivateKey) store.getKey("panel", password));
    assertEquals(200, server.status(signed(Issuer.header("ES256"), pair)));
  }

  /** What stands in the file, whether it is a JWKS, and why there is no start with it. */
  static Stream<Arguments> unusable() {
    String noPem = "it is no PEM file";
    return Stream.of(
        arguments("", false, noPem),
        arguments("AAAA", false, noPem),
        arguments("-----BEGIN PUBLIC KEY-----\nAAAA\n-----END CERTIFICATE-----\n", false, noPem),
        arguments(
            Issuer.pem("PUBLIC KEY", new byte[40]), false, "it is none of RSA, EC and Ed25519"),
        arguments(
            Issuer.pem("PRIVATE KEY", Issuer.P256.getPrivate().getEncoded()),
            false,
            "it holds no PUBLIC KEY and no CERTIFICATE; openssl pkey -pubout makes one"),
        arguments(Issuer.pem("CERTIFICATE", new byte[9]), false, "its certificate cannot be read"),
        arguments(pem(Issuer.rsa(1024)), false, "an RSA key has to have 2048 to 8192 bits"),
        arguments("", true, "it is empty"),
        arguments("[]", true, "it is not one JSON object (line 1, column 1)"),
        arguments("{\"keys\":[]} x", true, "it is not one JSON object (line 1, column 13)"),
        arguments("{}", true, "it has no list 'keys'"),
        arguments("{\"keys\":{}}", true, "it has no list 'keys'"),
        arguments("{\"keys\":[]}", true, "it has no key that can be used"),
        arguments("{\"keys\":[1,null,{},[]]}", true, "it has no key that can be used"),
        arguments(
            "{\"keys\":[{\"kty\":\"oct\",\"k\":\"AAAA\"},{\"kty\":\"RSA\",\"n\":\"AQ\",\"e\":1},"
                + "{\"kty\":\"EC\",\"crv\":\"P-256\",\"x\":\"++\",\"y\":\"\"},"
                + "{\"kty\":\"EC\",\"crv\":\"P-256\",\"x\":\""
                + "A".repeat(800)
                + "\",\"y\":\"AAAA\"},{\"kty\":\"EC\",\"crv\":\"P-192\"},"
                + "{\"kty\":\"OKP\",\"crv\":\"X25519\",\"x\":\"AAAA\"},"
                + "{\"kty\":\"OKP\",\"crv\":\"Ed25519\",\"x\":\"AAAA\"}]}",
            true,
            "it has no key that can be used"));
  }

  @ParameterizedTest
  @MethodSource("unusable")
  void doesNotStartWithoutAKey(String content, boolean jwks, String reason, Vertx vertx)
      throws IOException {
    Path file = write("key", content);
    JwtConfig.KeySource source =
        jwks ? new JwtConfig.JwksFile(file) : new JwtConfig.PublicKeyFile(file);
    var failure = assertThrows(Exception.class, () -> JwtServer.start(vertx, source));
    assertEquals("no key for JWTs in " + file + ": " + reason, failure.getMessage());
  }

  @Test
  void takesAnotherPublicKeyOnceTheFileHasChanged(Vertx vertx) throws IOException {
    Path file = write("key.pem", pem(Issuer.P256));
    JwtServer server = JwtServer.start(vertx, new JwtConfig.PublicKeyFile(file));
    String old = signed(Issuer.header("ES256"), Issuer.P256);
    String next = signed(Issuer.header("EdDSA"), Issuer.ED25519);
    assertEquals(200, server.status(old));
    assertEquals(401, server.status(next));
    Files.move(write("next.pem", pem(Issuer.ED25519)), file, StandardCopyOption.ATOMIC_MOVE);
    ApiServer.await(() -> server.status(next) == 200);
    assertEquals(401, server.status(old));
  }

  @Test
  void takesOtherKeysOnceTheJwksHasChanged(Vertx vertx) throws IOException {
    KeyPair first = Issuer.pair("secp256r1");
    KeyPair second = Issuer.pair("secp256r1");
    Path file = write("jwks", Issuer.jwks(Issuer.jwk("1", first.getPublic())).encode());
    JwtServer server = JwtServer.start(vertx, new JwtConfig.JwksFile(file));
    String by1 = signed(Issuer.header("ES256").put("kid", "1"), first);
    String by2 = signed(Issuer.header("ES256").put("kid", "2"), second);
    assertEquals(200, server.status(by1));
    assertEquals(401, server.status(by2));
    JsonObject both =
        Issuer.jwks(Issuer.jwk("1", first.getPublic()), Issuer.jwk("2", second.getPublic()));
    Files.writeString(file, both.encode());
    ApiServer.await(() -> server.status(by2) == 200);
    assertEquals(200, server.status(by1));
    Files.writeString(file, Issuer.jwks(Issuer.jwk("2", second.getPublic())).encode());
    ApiServer.await(() -> server.status(by1) == 401);
    assertEquals(200, server.status(by2));
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "{\"keys\":[]}", "{\"keys\":", "(gone)"})
  void keepsTheLastKeysWhileTheFileCannotBeUsed(String content, Vertx vertx) throws Exception {
    Path file = write("jwks", Issuer.jwks(Issuer.jwk("1", Issuer.P256.getPublic())).encode());
    JwtServer server = JwtServer.start(vertx, new JwtConfig.JwksFile(file));
    if (content.equals("(gone)")) {
      Files.delete(file);
    } else {
      Files.writeString(file, content);
    }
    // Longer than a few looks at the file take.
    vertx.timer(100, TimeUnit.MILLISECONDS).await();
    assertEquals(200, server.status(signed(Issuer.header("ES256"), Issuer.P256)));
    Files.writeString(file, Issuer.jwks(Issuer.jwk("2", Issuer.P384.getPublic())).encode());
    ApiServer.await(
        () -> server.status(signed(Issuer.header("ES384").put("kid", "2"), Issuer.P384)) == 200);
  }

  @Test
  void tellsKeysOfOneNameApartByTheirAlgorithm(Vertx vertx) throws IOException {
    KeyPair twin = Issuer.pair("secp256r1");
    JsonObject jwks =
        Issuer.jwks(
            Issuer.jwk("1", Issuer.P256.getPublic()),
            Issuer.jwk("1", Issuer.P384.getPublic()),
            Issuer.jwk("2", Issuer.P256.getPublic()),
            Issuer.jwk("2", twin.getPublic()));
    JwtServer server = JwtServer.start(vertx, new JwtConfig.JwksFile(write("jwks", jwks.encode())));
    server.assertGood(signed(Issuer.header("ES256").put("kid", "1"), Issuer.P256));
    server.assertGood(signed(Issuer.header("ES384").put("kid", "1"), Issuer.P384));
    server.assertRefused(
        "no such key", signed(Issuer.header("ES256").put("kid", "2"), Issuer.P256));
    server.assertRefused("no such key", signed(Issuer.header("ES256").put("kid", "2"), twin));
  }

  private Path write(String name, String content) throws IOException {
    return Files.writeString(directory.resolve(name), content);
  }

  private static String pem(KeyPair pair) {
    return Issuer.pem("PUBLIC KEY", pair.getPublic().getEncoded());
  }

  private static String signed(JsonObject header, KeyPair pair) {
    return Issuer.token(header, Issuer.claims().encode(), pair);
  }
}
