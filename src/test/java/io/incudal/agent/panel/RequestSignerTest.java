package io.incudal.agent.panel;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import io.incudal.agent.config.Secret;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The contract's vectors, byte for byte. */
class RequestSignerTest {
  private static final JsonObject VECTORS = load();

  static Stream<JsonObject> vectors() {
    return VECTORS.getJsonArray("vectors").stream().map(JsonObject.class::cast);
  }

  @ParameterizedTest
  @MethodSource("vectors")
  void printsAndSignsAsTheContractDoes(JsonObject vector) {
    String body = CanonicalJson.print(new JsonObject(vector.getString("bodyJson")));
    assertEquals(vector.getString("canonicalBody"), body);

    var signer =
        new RequestSigner(VECTORS.getString("agentId"), new Secret(VECTORS.getString("secret")));
    var headers =
        signer.headers(
            new RequestSigner.Signable(
                VECTORS.getString("method"),
                VECTORS.getString("path"),
                Long.parseLong(vector.getString("timestamp")),
                vector.getString("nonce"),
                body.getBytes(StandardCharsets.UTF_8)));

    assertEquals(VECTORS.getString("agentId"), headers.get("x-incudal-agent-id"));
    assertEquals(vector.getString("timestamp"), headers.get("x-incudal-timestamp"));
    assertEquals(vector.getString("nonce"), headers.get("x-incudal-nonce"));
    assertEquals(vector.getString("bodySha256"), headers.get("x-incudal-body-sha256"));
    assertEquals(vector.getString("signature"), headers.get("x-incudal-signature"));
    assertFalse(headers.containsValue(VECTORS.getString("secret")));
  }

  private static JsonObject load() {
    try (var file =
        RequestSignerTest.class.getResourceAsStream("/panel/heartbeat-signature.json")) {
      return new JsonObject(new String(file.readAllBytes(), StandardCharsets.UTF_8));
    } catch (IOException failure) {
      throw new IllegalStateException(failure);
    }
  }
}
