package io.incudal.agent.api;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.incudal.agent.config.TlsConfig;
import io.incudal.agent.testing.CapturedLog;
import io.vertx.core.Vertx;
import io.vertx.junit5.VertxExtension;
import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.HexFormat;
import java.util.List;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSocket;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The handshake: versions, protocols, silence, and files that cannot be used. */
@ExtendWith(VertxExtension.class)
class TlsTest {
  private static final HttpLimits IMPATIENT =
      new HttpLimits(64, Duration.ofMillis(150), Duration.ofDays(1));

  private static ApiServer server;

  @TempDir private Path directory;
  private TlsFixture fixture;

  @BeforeAll
  static void start(@TempDir Path shared) throws IOException {
    server = ApiServer.start(Vertx.vertx(), new TlsFixture(shared).files());
  }

  @AfterAll
  static void stop() {
    server.vertx.close().await();
  }

  @BeforeEach
  void make() {
    fixture = new TlsFixture(directory);
  }

  @ParameterizedTest
  @ValueSource(strings = {"TLSv1.2", "TLSv1.3"})
  void speaksTheVersionsInUse(String version) throws Exception {
    try (SSLSocket socket = connect(server, new String[] {version})) {
      assertEquals(version, socket.getSession().getProtocol());
    }
  }

  /** By hand, as Java's own client would refuse to ask for it. */
  @Test
  void refusesOlderVersions() throws Exception {
    try (var socket = tcp(server)) {
      socket.getOutputStream().write(helloOfTls11());
      byte[] alert = socket.getInputStream().readNBytes(7);
      assertEquals("15", HexFormat.of().toHexDigits(alert[0]), "an alert");
      assertEquals("0246", HexFormat.of().formatHex(alert, 5, 7), "fatal, protocol_version");
    }
  }

  @ParameterizedTest
  @CsvSource({"h2, h2", "http/1.1, http/1.1", "h2;http/1.1, h2", "'', ''"})
  void agreesOnTheProtocolInTheHandshake(String offered, String agreed) throws Exception {
    String[] protocols = offered.isEmpty() ? new String[0] : offered.split(";");
    try (SSLSocket socket = connect(server, new String[] {"TLSv1.3"}, protocols)) {
      assertEquals(agreed, socket.getApplicationProtocol());
    }
  }

  @Test
  void answersOverPlainSocketsWithNothingAndTellsWhyWithoutTheToken(Vertx vertx) throws Exception {
    var fresh = ApiServer.start(vertx, fixture.files());
    try (var log = new CapturedLog(RefusalLog.class.getName());
        var http = new RawHttp(fresh.port())) {
      http.send("GET /lun HTTP/1.1\r\nAuthorization: Bearer " + ApiServer.TOKEN + "\r\n\r\n");
      assertEquals(0, http.readAll() / 100, "an alert at most");
      ApiServer.await(() -> !log.lines().isEmpty());
      assertEquals(
          List.of("tls handshakes failed count=1 last=NotSslRecordException"), log.lines());
    }
  }

  @Test
  void closesAConnectionThatNeverBeginsTheHandshake(Vertx vertx) throws Exception {
    var impatient = ApiServer.start(vertx, fixture.files(), IMPATIENT);
    try (var socket = tcp(impatient)) {
      assertEquals(-1, socket.getInputStream().read());
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"h2", "http/1.1"})
  void closesAConnectionThatIsSilentAfterTheHandshake(String protocol, Vertx vertx)
      throws Exception {
    var impatient = ApiServer.start(vertx, fixture.files(), IMPATIENT);
    try (SSLSocket socket = connect(impatient, new String[] {"TLSv1.3"}, protocol)) {
      socket.getInputStream().readAllBytes();
    }
  }

  @Test
  void takesKeysOfBothKinds(Vertx vertx) throws Exception {
    var rsa =
        new io.netty.pkitesting.CertificateBuilder()
            .subject("CN=rsa")
            .addSanIpAddress("127.0.0.1")
            .rsa2048()
            .buildIssuedBy(TlsFixture.CA);
    TlsConfig files = fixture.files();
    fixture.write(rsa);
    var other = ApiServer.start(vertx, files);
    try (SSLSocket socket = connect(other, new String[] {"TLSv1.2"})) {
      assertEquals("CN=rsa", socket.getSession().getPeerPrincipal().getName());
    }
  }

  @ParameterizedTest
  @CsvSource({
    "tls.crt, , IPXE_TLS_CERT, is not there",
    "tls.crt, nothing, IPXE_TLS_CERT, holds no PEM certificate",
    "tls.key, , IPXE_TLS_KEY, is not there",
    "tls.key, -----BEGIN PRIVATE KEY-----, IPXE_TLS_KEY, holds no PEM key",
    "tls.key, another, IPXE_TLS_KEY, is not the key of the first certificate in",
    "client-ca.crt, , IPXE_TLS_CLIENT_CA, is not there",
    "client-ca.crt, '', IPXE_TLS_CLIENT_CA, holds no PEM certificate",
  })
  void doesNotStartWithFilesThatCannotBeUsed(
      String name, String content, String setting, String why, Vertx vertx) throws Exception {
    TlsConfig files = fixture.filesForBoth();
    Path file = fixture.directory.resolve(name);
    if (content == null) {
      Files.delete(file);
    } else {
      Files.writeString(
          file, content.equals("another") ? TlsFixture.STRANGER.getPrivateKeyPEM() : content);
    }
    var failure = assertThrows(IOException.class, () -> ApiServer.start(vertx, files));
    assertTrue(
        failure.getMessage().startsWith(setting + ": " + file + " " + why), failure.getMessage());
  }

  @Test
  void tellsNothingOfTheKey(Vertx vertx) throws Exception {
    TlsConfig files = fixture.files();
    String key = Files.readString(fixture.key());
    String secret = key.lines().skip(1).findFirst().orElseThrow();
    Files.writeString(fixture.key(), key.replace("END", "BEGIN"));
    for (Throwable told = assertThrows(IOException.class, () -> ApiServer.start(vertx, files));
        told != null;
        told = told.getCause()) {
      assertFalse(told.toString().contains(secret.substring(0, 8)), told.toString());
    }
  }

  private static Socket tcp(ApiServer server) throws IOException {
    var socket = new Socket(InetAddress.getLoopbackAddress(), server.port());
    socket.setSoTimeout(5_000);
    return socket;
  }

  private static SSLSocket connect(ApiServer server, String[] versions, String... protocols)
      throws Exception {
    var context = SSLContext.getInstance("TLS");
    context.init(null, TlsFixture.CA.toTrustManagerFactory().getTrustManagers(), null);
    var socket =
        (SSLSocket)
            context
                .getSocketFactory()
                .createSocket(InetAddress.getLoopbackAddress(), server.port());
    socket.setSoTimeout(5_000);
    var parameters = new SSLParameters();
    parameters.setProtocols(versions);
    parameters.setApplicationProtocols(protocols);
    socket.setSSLParameters(parameters);
    socket.startHandshake();
    return socket;
  }

  private static byte[] helloOfTls11() throws IOException {
    byte[] random = new byte[32];
    new SecureRandom().nextBytes(random);
    // Suites of TLS 1.1, two curves, uncompressed points.
    String rest = "0006c009c013002f" + "0100" + "0010" + "000a00060004001d0017" + "000b00020100";
    var body = new ByteArrayOutputStream();
    body.write(new byte[] {3, 2});
    body.write(random);
    body.write(0);
    body.write(HexFormat.of().parseHex(rest));
    var record = new ByteArrayOutputStream();
    var out = new DataOutputStream(record);
    out.write(new byte[] {0x16, 3, 1});
    out.writeShort(body.size() + 4);
    out.writeInt(1 << 24 | body.size());
    body.writeTo(out);
    return record.toByteArray();
  }
}
