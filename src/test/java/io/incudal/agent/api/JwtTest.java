package io.incudal.agent.api;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import io.incudal.agent.config.JwtConfig;
import io.incudal.agent.config.Secret;
import io.incudal.agent.lun.LunMessages.Scan;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import io.vertx.ext.web.client.HttpResponse;
import io.vertx.junit5.VertxExtension;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.Signature;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** JWTs over HTTP: which are good, which are not, and what they may do. */
@ExtendWith(VertxExtension.class)
class JwtTest {
  private static final Secret SECRET = new Secret("0123456789abcdef0123456789abcdef");
  private static final KeyPair ANOTHER = Issuer.pair("RSA");
  private static final KeyPair SHORT = Issuer.rsa(1024);
  private static final KeyPair FOREIGN = Issuer.pair("secp256r1");

  @TempDir private static Path directory;
  private static JwtServer server;
  private static JwtServer sharing;

  /** One that has every kind of key, and keys that it must not use; and one with a secret. */
  @BeforeAll
  static void start(Vertx vertx) throws IOException {
    JsonObject keys =
        Issuer.jwks(
            Issuer.jwk("RS", Issuer.RSA.getPublic()),
            Issuer.jwk("ES256", Issuer.P256.getPublic()).put("alg", "ES256").put("use", "sig"),
            Issuer.jwk("ES384", Issuer.P384.getPublic())
                .put("key_ops", new JsonArray("[\"verify\"]")),
            Issuer.jwk("ES512", Issuer.P521.getPublic()),
            Issuer.jwk("EdDSA", Issuer.ED25519.getPublic()),
            Issuer.jwk("only RS256", ANOTHER.getPublic()).put("alg", "RS256"),
            Issuer.jwk("encrypts", ANOTHER.getPublic()).put("use", "enc"),
            Issuer.jwk("for RSA-OAEP", ANOTHER.getPublic()).put("alg", "RSA-OAEP"),
            Issuer.jwk("signs", ANOTHER.getPublic()).put("key_ops", new JsonArray("[\"sign\"]")),
            Issuer.jwk("short", SHORT.getPublic()),
            Issuer.jwk("private", ANOTHER.getPublic()).put("d", "AQAB"),
            new JsonObject()
                .put("kty", "oct")
                .put("kid", "secret")
                .put("k", Issuer.encode(SECRET.bytes())));
    Path file = Files.writeString(directory.resolve("jwks.json"), keys.encode());
    server = JwtServer.start(vertx, new JwtConfig.JwksFile(file));
    sharing = JwtServer.start(Vertx.vertx(), new JwtConfig.SharedSecret(SECRET));
  }

  @BeforeEach
  void reset() {
    server.api.reset();
    sharing.api.reset();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512", "EdDSA"
      })
  void takesEveryAlgorithmThatAKeyIsGoodFor(String algorithm) {
    String key = Issuer.of(algorithm) == Issuer.RSA ? "RS" : algorithm;
    JsonObject header = Issuer.header(algorithm).put("kid", key);
    server.assertGood(Issuer.token(header, Issuer.claims().encode(), Issuer.of(algorithm)));
  }

  @Test
  void takesASharedSecret() {
    sharing.assertGood(Issuer.shared(Issuer.header("HS256"), good(), SECRET.bytes()));
  }

  @Test
  void takesATokenThatNamesNoKeyIfOnlyOneFits() {
    server.assertGood(Issuer.token(Issuer.header("ES256"), good(), Issuer.P256));
    server.assertRefused("no such key", Issuer.token(Issuer.header("RS256"), good(), Issuer.RSA));
    server.assertGood(Issuer.token(Issuer.header("RS384"), good(), Issuer.RSA));
  }

  /** What is wrong with a token that is good but for it, and what the log says. */
  static Stream<Arguments> attacks() {
    byte[] key = Issuer.RSA.getPublic().getEncoded();
    JsonObject hs256 = Issuer.header("HS256").put("kid", "RS");
    String[] parts = signed(good()).split("\\.");
    String unsigned = parts[0] + "." + parts[1] + ".";
    String claims = "." + parts[1] + "." + parts[2];
    return Stream.of(
        arguments("alg none", "no such key", header("{\"alg\":\"none\"}") + claims),
        arguments(
            "alg none, no signature",
            "no jwt",
            header("{\"alg\":\"none\"}") + "." + parts[1] + "."),
        arguments("alg none, two parts", "no jwt", header("{\"alg\":\"none\"}") + "." + parts[1]),
        arguments("alg NoNe", "no such key", header("{\"alg\":\"NoNe\"}") + claims),
        arguments("alg missing", "no such key", header("{}") + claims),
        arguments("alg a number", "alg", header("{\"alg\":256}") + claims),
        arguments("alg null", "alg", header("{\"alg\":null}") + claims),
        arguments("alg twice", "json", header("{\"alg\":\"ES256\",\"alg\":\"ES256\"}") + claims),
        arguments("the public key as a secret", "no such key", Issuer.shared(hs256, good(), key)),
        arguments(
            "the public key as a secret, in PEM",
            "no such key",
            Issuer.shared(
                hs256, good(), Issuer.pem("PUBLIC KEY", key).getBytes(StandardCharsets.US_ASCII))),
        arguments(
            "a secret in the jwks",
            "no such key",
            Issuer.shared(Issuer.header("HS256").put("kid", "secret"), good(), SECRET.bytes())),
        arguments("another key", "signature", byRsa("RS256", "RS", ANOTHER)),
        arguments("another key for PSS", "signature", byRsa("PS256", "RS", ANOTHER)),
        arguments("a key that is not there", "no such key", byRsa("RS256", "none", Issuer.RSA)),
        arguments("a key for encryption", "no such key", byRsa("RS256", "encrypts", ANOTHER)),
        arguments("a key for RSA-OAEP", "no such key", byRsa("RS256", "for RSA-OAEP", ANOTHER)),
        arguments("a key that only signs", "no such key", byRsa("RS256", "signs", ANOTHER)),
        arguments("a private key", "no such key", byRsa("RS256", "private", ANOTHER)),
        arguments("a short key", "no such key", byRsa("RS256", "short", SHORT)),
        arguments(
            "the key's other algorithm", "no such key", byRsa("RS384", "only RS256", ANOTHER)),
        arguments("another curve's algorithm", "no such key", calledOtherwise("ES384", "ES256")),
        arguments("PSS called PKCS #1", "signature", calledOtherwise("RS256", "PS256")),
        arguments("another hash", "signature", calledOtherwise("RS256", "RS512")),
        arguments(
            "claims of another token",
            "signature",
            parts[0] + "." + Issuer.part(good("root")) + "." + parts[2]),
        arguments("a signature of zeros", "signature", unsigned + Issuer.encode(new byte[64])),
        arguments("a signature cut off", "signature", unsigned + parts[2].substring(0, 80)),
        arguments("a signature of X.509", "signature", unsigned + x509(parts[0] + "." + parts[1])),
        arguments("no signature", "no jwt", unsigned),
        arguments("four parts", "no jwt", unsigned + parts[2] + "." + parts[2]),
        arguments("five parts, as if encrypted", "no jwt", unsigned + parts[2] + ".a.b"),
        arguments("three dots", "no jwt", "..."),
        arguments("padding", "no jwt", parts[0] + "=" + claims),
        arguments("no base64url", "no jwt", parts[0] + ".+/+/." + parts[2]),
        arguments("one digit of base64", "base64", parts[0] + ".A." + parts[2]),
        arguments("a header that is a text", "json", header("alg") + claims),
        arguments("a header that is a list", "json", header("[]") + claims),
        arguments("a header that is null", "json", header("null") + claims),
        arguments(
            "crit",
            "crit",
            Issuer.token(es256("crit", new JsonArray().add("exp")), good(), Issuer.P256)),
        arguments("crit null", "crit", Issuer.token(es256("crit", null), good(), Issuer.P256)),
        arguments("typ", "typ", Issuer.token(es256("typ", "logout+jwt"), good(), Issuer.P256)),
        arguments("kid a number", "kid", Issuer.token(es256("kid", 1), good(), Issuer.P256)),
        arguments(
            "a key that it brings along",
            "signature",
            Issuer.token(es256("jwk", Issuer.jwk("ES256", FOREIGN.getPublic())), good(), FOREIGN)),
        arguments("no claims", "iss", signed("{}")),
        arguments("claims that are a list", "json", signed("[]")),
        arguments("claims that are null", "json", signed("null")),
        arguments("claims that end early", "json", signed("{\"iss\":")),
        arguments("claims twice", "json", signed(good() + good())),
        arguments("nesting without end", "json", signed("{\"a\":" + "[".repeat(4000))),
        arguments("nesting", "json", signed(beside("[".repeat(900) + "]".repeat(900)))),
        arguments("a number of 5000 digits", "json", signed(beside("9".repeat(5000)))),
        arguments("a claim twice", "json", signed(beside("1,\"sub\":\"root\""))),
        arguments("half of a surrogate pair", "json", signed(beside("\"\\ud800\""))),
        arguments(
            "no UTF-8", "json", parts[0] + "." + Issuer.encode(new byte[] {'{', -1, '}'}) + ".AA"));
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("attacks")
  void refuses(String what, String reason, String token) {
    server.assertRefused(reason, token);
  }

  @ParameterizedTest
  @ValueSource(strings = {"JWT", "jwt", "at+jwt", "application/at+JWT"})
  void takesTypesOfAccessTokens(String type) {
    JsonObject header = Issuer.header("ES256").put("typ", type);
    server.assertGood(Issuer.token(header, good(), Issuer.P256));
  }

  @ParameterizedTest
  @CsvSource({
    "GET,/lun,lun:read",
    "HEAD,/lun,lun:read",
    "GET,/masters,lun:read",
    "GET,/capabilities,lun:read",
    "POST,/lun/disk,lun:write",
    "POST,/lun/cd,lun:write",
    "POST,/lun/scan,lun:write",
    "DELETE,/lun?iqn=a,lun:write",
    "GET,/logs,logs:read",
    "GET,/metrics,metrics:read"
  })
  void doesWhatTheScopeSaysAndNothingElse(HttpMethod method, String path, String scope) {
    for (String other : List.of("lun:read", "lun:write", "logs:read", "metrics:read", "", "lun")) {
      server.api.reset();
      HttpResponse<Buffer> answer =
          server.ask(method, path, signed(Issuer.claims().put("scope", other).encode()));
      assertEquals(other.equals(scope) ? 200 : 403, answer.statusCode(), other);
      assertEquals(other.equals(scope) ? 1 : 0, server.api.asked.size());
      if (!other.equals(scope)) {
        assertEquals(
            "Bearer error=\"insufficient_scope\", scope=\"" + scope + "\"",
            answer.getHeader("WWW-Authenticate"));
      }
    }
    List<String> all = List.of("lun:read", "lun:write", "logs:read", "metrics:read");
    List<String> others = all.stream().filter(name -> !name.equals(scope)).toList();
    String words = String.join(" ", others);
    assertEquals(
        403,
        server
            .ask(method, path, signed(Issuer.claims().put("scope", words).encode()))
            .statusCode());
  }

  @Test
  void mayDoNothingWithoutAScope() {
    String token = signed(noScope());
    assertEquals(403, server.ask(HttpMethod.GET, "/lun", token).statusCode());
    assertEquals(200, server.ask(HttpMethod.GET, "/openapi.yaml", token).statusCode());
    assertEquals(404, server.ask(HttpMethod.GET, "/no/such/path", token).statusCode());
  }

  @Test
  void namesItsSubjectToWhoeverWritesTheAuditLog() {
    server.ask(HttpMethod.POST, "/lun/scan", signed(Issuer.claims().put("sub", "me").encode()));
    assertEquals(Optional.of("me"), server.api.onlyAsked(Scan.class).caller().principal());
    server.api.reset();
    server.api.post("/lun/scan", "");
    assertEquals(Optional.empty(), server.api.onlyAsked(Scan.class).caller().principal());
  }

  @Test
  void stillTakesTheStaticToken() {
    assertEquals(200, server.api.get("/lun").statusCode());
    assertEquals(200, server.api.get("/metrics").statusCode());
    assertEquals(200, sharing.api.delete("/lun?iqn=a").statusCode());
  }

  @ParameterizedTest
  @ValueSource(strings = {"HS256", "HS384", "HS512"})
  void takesASecretForOneAlgorithmOnly(String algorithm) {
    String token = Issuer.shared(Issuer.header(algorithm), good(), SECRET.bytes());
    HttpResponse<Buffer> answer = sharing.ask(HttpMethod.GET, "/lun", token);
    assertEquals(algorithm.equals("HS256") ? 200 : 401, answer.statusCode());
  }

  @Test
  void refusesWhatIsSignedWithoutTheSecret() {
    sharing.assertRefused("signature", Issuer.shared(Issuer.header("HS256"), good(), new byte[32]));
    sharing.assertRefused("no such key", byRsa("RS256", "RS", Issuer.RSA));
    sharing.assertRefused(
        "no such key", header("{\"alg\":\"none\"}") + "." + Issuer.part(good()) + ".AAAA");
  }

  private static String good() {
    return Issuer.claims().encode();
  }

  @Test
  void verifiesATokenOnceHoweverManyRequestsShowIt() {
    String token = calledOtherwise("ES512", "ES512");
    List<Future<Integer>> all =
        IntStream.range(0, 200)
            .mapToObj(
                i ->
                    server
                        .api
                        .anonymous(HttpMethod.GET, "/lun")
                        .putHeader("Authorization", "Bearer " + token)
                        .putHeader("X-Request-Id", "request " + i)
                        .send()
                        .map(HttpResponse::statusCode))
            .toList();
    Future.all(all).await();
    assertEquals(Set.of(200), all.stream().map(Future::result).collect(Collectors.toSet()));
    assertEquals(
        200, Set.copyOf(server.api.requestIds).size(), "each goes on under its own request id");
  }

  @Test
  void answersThoseWhomItKnowsWhileItIsFloodedWithForgedTokens() {
    String known = signed(good());
    server.assertGood(known);
    List<Future<Integer>> forged =
        IntStream.range(0, 200)
            .mapToObj(
                i -> {
                  JsonObject header = Issuer.header("ES512").put("kid", "ES512");
                  String content = Issuer.part(header.encode()) + "." + Issuer.part(good("x" + i));
                  return server.send(content + "." + Issuer.encode(bytes(132)));
                })
            .toList();
    List<Future<Integer>> good = IntStream.range(0, 50).mapToObj(i -> server.send(known)).toList();
    Future.all(good).await();
    assertEquals(Set.of(200), good.stream().map(Future::result).collect(Collectors.toSet()));
    Future.all(forged).await();
    assertTrue(server.reasons().contains("jwt refused reason=\"too many others\""));
    assertEquals(Set.of(401), forged.stream().map(Future::result).collect(Collectors.toSet()));
  }

  private static byte[] bytes(int length) {
    byte[] bytes = new byte[length];
    Arrays.fill(bytes, (byte) 1);
    return bytes;
  }

  private static String noScope() {
    JsonObject claims = Issuer.claims();
    claims.remove("scope");
    return claims.encode();
  }

  private static String good(String subject) {
    return Issuer.claims().put("sub", subject).encode();
  }

  /** Good claims, and one more. */
  private static String beside(String value) {
    return good().replaceFirst("\\{", Matcher.quoteReplacement("{\"a\":" + value + ","));
  }

  private static String header(String json) {
    return Issuer.part(json);
  }

  private static JsonObject es256(String member, Object value) {
    return Issuer.header("ES256").put("kid", "ES256").put(member, value);
  }

  private static String signed(String claims) {
    return Issuer.token(Issuer.header("ES256").put("kid", "ES256"), claims, Issuer.P256);
  }

  private static String byRsa(String algorithm, String key, KeyPair signer) {
    return Issuer.token(Issuer.header(algorithm).put("kid", key), good(), signer);
  }

  /** Signed as one algorithm, and called another. */
  private static String calledOtherwise(String called, String algorithm) {
    KeyPair key = Issuer.of(algorithm);
    String id = key == Issuer.RSA ? "RS" : algorithm;
    String content =
        header(Issuer.header(called).put("kid", id).encode()) + "." + Issuer.part(good());
    return content + "." + Issuer.encode(Issuer.sign(algorithm, key.getPrivate(), content));
  }

  /** Good, but not as JWTs have it. */
  private static String x509(String content) {
    try {
      var signature = Signature.getInstance("SHA256withECDSA");
      signature.initSign(Issuer.P256.getPrivate());
      signature.update(content.getBytes(StandardCharsets.US_ASCII));
      return Issuer.encode(signature.sign());
    } catch (GeneralSecurityException impossible) {
      throw new IllegalStateException(impossible);
    }
  }
}
