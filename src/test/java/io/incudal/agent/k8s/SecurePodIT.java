package io.incudal.agent.k8s;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.incudal.agent.lab.Cli;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The pod with the component {@code client-certificates}: TLS, and callers that show who they are.
 */
@Tag("image")
class SecurePodIT {
  private static final String ORIGIN = "https://localhost:4840";
  private static final String TOKEN = "no-token-is-enough";

  @TempDir Path keys;
  private StorageNode node;

  @BeforeEach
  void start() throws IOException {
    authority("first");
    node = StorageNode.stgt(Rendering.of("stgt", List.of("client-certificates")));
    node.secret(TOKEN).caller(TOKEN).write("tls", files("first"));
    // The probes ask as a kubelet does: without a certificate, and whatever the agent's is.
    node.start();
  }

  @AfterEach
  void end() throws IOException {
    node.close();
  }

  @Test
  void servesADiskToACallerWithACertificate() throws IOException {
    node.caller(ORIGIN, withCertificate("first"));
    var order = new JsonObject().put("iqn", StorageNode.IQN).put("size", "1M");
    assertEquals(200, node.call("POST", "/lun/disk", order));
    node.login("iscsi-inq").orFail();
    assertTrue(node.body("/metrics").contains("incudal_http_request_seconds_count"));
    assertEquals(
        200, node.call("DELETE", "/lun?delete_file=true&iqn=" + StorageNode.IQN, new JsonObject()));
    assertFalse(node.login("iscsi-inq").ok());
  }

  @Test
  void refusesACallerWithATokenAlone() throws IOException {
    node.caller(ORIGIN, List.of("--cacert", keys.resolve("first-ca.crt").toString()));
    assertEquals(200, node.get("/healthz"));
    assertTrue(node.get("/lun") >= 400);
    node.caller("http://localhost:4840", List.of());
    assertFalse(node.get("/healthz") == 200);
  }

  @Test
  void takesUpTheCertificatesOfAChangedSecret() throws IOException {
    authority("second");
    node.caller(ORIGIN, withCertificate("second"));
    assertEquals(0, node.get("/lun"), "another authority");
    node.write("tls", files("second"));
    node.await("the new certificates", () -> node.get("/lun") == 200);
  }

  /** A CA, and a certificate that serves as the agent's and as a caller's. */
  private void authority(String name) throws IOException {
    String script =
        """
        new="-newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes"
        openssl req -x509 $new -days 2 -subj "/CN=$1 CA" -keyout $1-ca.key -out $1-ca.crt
        openssl req $new -subj "/CN=$1" -addext subjectAltName=DNS:localhost -keyout $1.key -out $1.csr
        openssl x509 -req -in $1.csr -CA $1-ca.crt -CAkey $1-ca.key -days 2 -copy_extensions copy -out $1.crt
        """;
    Cli.run("sh", "-ec", "cd " + keys + "; " + script, "sh", name).orFail();
  }

  private Map<String, String> files(String authority) throws IOException {
    return Map.of(
        "tls.crt", Files.readString(keys.resolve(authority + ".crt")),
        "tls.key", Files.readString(keys.resolve(authority + ".key")),
        "ca.crt", Files.readString(keys.resolve(authority + "-ca.crt")));
  }

  private List<String> withCertificate(String authority) {
    return List.of(
        "--cacert", keys.resolve(authority + "-ca.crt").toString(),
        "--cert", keys.resolve(authority + ".crt").toString(),
        "--key", keys.resolve(authority + ".key").toString());
  }
}
