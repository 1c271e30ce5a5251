package io.incudal.agent.api;

import io.incudal.agent.config.TlsConfig;
import io.netty.pkitesting.CertificateBuilder;
import io.netty.pkitesting.X509Bundle;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpVersion;
import io.vertx.core.net.KeyCertOptions;
import io.vertx.core.net.PemTrustOptions;
import io.vertx.ext.web.client.WebClientOptions;
import java.io.IOException;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.security.Principal;
import java.security.PrivateKey;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLException;
import javax.net.ssl.X509ExtendedKeyManager;

/** A made-up authority, what it signs, and the server's files in a directory. */
final class TlsFixture {
  static final X509Bundle CA = authority("CN=test authority");
  static final X509Bundle STRANGER = authority("CN=another authority");
  static final X509Bundle SERVER = server("CN=server");

  final Path directory;

  TlsFixture(Path directory) {
    this.directory = directory;
  }

  static X509Bundle authority(String name) {
    return build(new CertificateBuilder().subject(name).setIsCertificateAuthority(true), null);
  }

  static X509Bundle server(String name) {
    return build(
        new CertificateBuilder()
            .subject(name)
            .addSanIpAddress("127.0.0.1")
            .addExtendedKeyUsageServerAuth(),
        CA);
  }

  static X509Bundle client(X509Bundle issuer, Duration left) {
    return build(
        new CertificateBuilder()
            .subject("CN=client")
            .notBefore(Instant.now().minus(Duration.ofDays(2)))
            .notAfter(Instant.now().plus(left))
            .addExtendedKeyUsageClientAuth(),
        issuer);
  }

  static X509Bundle build(CertificateBuilder certificate, X509Bundle issuer) {
    try {
      var ec = certificate.copy().ecp256();
      return issuer == null ? ec.buildSelfSigned() : ec.buildIssuedBy(issuer);
    } catch (Exception broken) {
      throw new IllegalStateException(broken);
    }
  }

  /** A client that trusts the authority. */
  static WebClientOptions client(HttpVersion version) {
    var options = new WebClientOptions();
    options
        .setProtocolVersion(version)
        .setSsl(true)
        .setUseAlpn(true)
        .setTrustOptions(
            new PemTrustOptions().addCertValue(Buffer.buffer(CA.getRootCertificatePEM())));
    return options;
  }

  static WebClientOptions client(HttpVersion version, X509Bundle own) {
    var options = client(version);
    options.setKeyCertOptions(KeyCertOptions.wrap(new Insistent(own)));
    return options;
  }

  /** Shows its certificate even to a server that asks for one of another authority. */
  private static final class Insistent extends X509ExtendedKeyManager {
    private final X509Bundle own;

    Insistent(X509Bundle own) {
      this.own = own;
    }

    @Override
    public String chooseEngineClientAlias(String[] kinds, Principal[] issuers, SSLEngine engine) {
      return "own";
    }

    @Override
    public String chooseClientAlias(String[] kinds, Principal[] issuers, Socket socket) {
      return "own";
    }

    @Override
    public X509Certificate[] getCertificateChain(String alias) {
      return own.getCertificatePath();
    }

    @Override
    public PrivateKey getPrivateKey(String alias) {
      return own.getKeyPair().getPrivate();
    }

    @Override
    public String[] getClientAliases(String kind, Principal[] issuers) {
      return new String[] {"own"};
    }

    @Override
    public String[] getServerAliases(String kind, Principal[] issuers) {
      return new String[0];
    }

    @Override
    public String chooseServerAlias(String kind, Principal[] issuers, Socket socket) {
      return null;
    }
  }

  /** Whether TLS is why something failed. */
  static boolean isTls(Throwable failure) {
    return failure instanceof SSLException || failure != null && isTls(failure.getCause());
  }

  TlsConfig files() throws IOException {
    write(SERVER);
    return links();
  }

  /** Of files that are there already. */
  TlsConfig links() {
    return new TlsConfig(certificate(), key(), Optional.empty());
  }

  TlsConfig filesForBoth() throws IOException {
    Path ca = Files.writeString(clientCa(), CA.getRootCertificatePEM());
    return new TlsConfig(files().certificate(), key(), Optional.of(ca));
  }

  Path certificate() {
    return directory.resolve("tls.crt");
  }

  Path key() {
    return directory.resolve("tls.key");
  }

  Path clientCa() {
    return directory.resolve("client-ca.crt");
  }

  /** As renewing tools do it: each file complete, one after the other. */
  void write(X509Bundle server) throws IOException {
    replace(certificate(), server.getCertificatePathPEM());
    replace(key(), server.getPrivateKeyPEM());
  }

  static void replace(Path file, String content) throws IOException {
    Path next = Files.writeString(file.resolveSibling(file.getFileName() + ".next"), content);
    Files.move(next, file, StandardCopyOption.ATOMIC_MOVE);
  }
}
