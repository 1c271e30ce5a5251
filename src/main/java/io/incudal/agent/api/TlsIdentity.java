package io.incudal.agent.api;

import io.incudal.agent.config.TlsConfig;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.net.KeyCertOptions;
import io.vertx.core.net.PemKeyCertOptions;
import io.vertx.core.net.PemTrustOptions;
import io.vertx.core.net.TrustOptions;
import java.io.IOException;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.PrivateKey;
import java.security.Signature;
import java.security.cert.X509Certificate;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Stream;
import javax.net.ssl.X509KeyManager;

/**
 * Who the server is, and whose client certificates it takes: what the TLS files hold, found to
 * belong together. Immutable; making one is work for a worker.
 *
 * @param certificate the server's own
 */
record TlsIdentity(
    KeyCertOptions key, Optional<TrustOptions> clients, X509Certificate certificate) {
  private static final List<String> KINDS = List.of("RSA", "EC");

  /**
   * @param contents of certificate, key and, if there is one, client CA, in this order
   * @throws IOException naming setting and file, and nothing of their content
   */
  static TlsIdentity of(Vertx vertx, TlsConfig files, List<Optional<String>> contents)
      throws IOException {
    Buffer chain = content("IPXE_TLS_CERT", files.certificate(), contents.get(0));
    Buffer key = content("IPXE_TLS_KEY", files.key(), contents.get(1));
    authorities(vertx, "IPXE_TLS_CERT", files.certificate(), chain);
    var pair = new PemKeyCertOptions().setCertValue(chain).setKeyValue(key);
    Optional<TrustOptions> clients = Optional.empty();
    if (files.clientCa().isPresent()) {
      Path file = files.clientCa().get();
      Buffer ca = content("IPXE_TLS_CLIENT_CA", file, contents.get(2));
      clients = Optional.of(authorities(vertx, "IPXE_TLS_CLIENT_CA", file, ca));
    }
    return new TlsIdentity(pair, clients, certified(keys(vertx, files, pair), files));
  }

  private static Buffer content(String setting, Path file, Optional<String> content)
      throws IOException {
    return content
        .map(Buffer::buffer)
        .orElseThrow(() -> unusable(setting, file, "is not there", null));
  }

  private static IOException unusable(String setting, Path file, String why, Throwable cause) {
    return new IOException(setting + ": " + file + " " + why, cause);
  }

  private static TrustOptions authorities(Vertx vertx, String setting, Path file, Buffer content)
      throws IOException {
    try {
      var certificates = new PemTrustOptions().addCertValue(content);
      certificates.getTrustManagerFactory(vertx);
      return certificates;
    } catch (Exception unreadable) {
      throw unusable(setting, file, "holds no PEM certificate that can be read", unreadable);
    }
  }

  private static X509KeyManager keys(Vertx vertx, TlsConfig files, PemKeyCertOptions pair)
      throws IOException {
    try {
      return Arrays.stream(pair.getKeyManagerFactory(vertx).getKeyManagers())
          .filter(X509KeyManager.class::isInstance)
          .map(X509KeyManager.class::cast)
          .findFirst()
          .orElseThrow();
    } catch (Exception unreadable) {
      // The cause could tell of the key.
      throw unusable(
          "IPXE_TLS_KEY", files.key(), "holds no PEM key, RSA or EC, that can be read", null);
    }
  }

  private static X509Certificate certified(X509KeyManager keys, TlsConfig files)
      throws IOException {
    String alias =
        KINDS.stream()
            .map(kind -> keys.getServerAliases(kind, null))
            .filter(Objects::nonNull)
            .flatMap(Stream::of)
            .findFirst()
            .orElseThrow(
                () ->
                    unusable("IPXE_TLS_CERT", files.certificate(), "is neither RSA nor EC", null));
    X509Certificate certificate = keys.getCertificateChain(alias)[0];
    if (!fit(certificate, keys.getPrivateKey(alias))) {
      throw unusable(
          "IPXE_TLS_KEY",
          files.key(),
          "is not the key of the first certificate in " + files.certificate(),
          null);
    }
    return certificate;
  }

  private static boolean fit(X509Certificate certificate, PrivateKey key) {
    try {
      boolean rsa = certificate.getPublicKey().getAlgorithm().equals("RSA");
      Signature signature = Signature.getInstance(rsa ? "SHA256withRSA" : "SHA256withECDSA");
      signature.initSign(key);
      signature.update(certificate.getEncoded());
      byte[] signed = signature.sign();
      signature.initVerify(certificate.getPublicKey());
      signature.update(certificate.getEncoded());
      return signature.verify(signed);
    } catch (GeneralSecurityException ofAnotherKind) {
      return false;
    }
  }
}
