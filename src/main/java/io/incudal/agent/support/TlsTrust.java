package io.incudal.agent.support;

import io.vertx.core.net.TrustOptions;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import javax.net.ssl.TrustManager;
import javax.net.ssl.TrustManagerFactory;
import javax.net.ssl.X509TrustManager;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Whom a TLS client trusts: the host's own certificate authorities, so that what an operator adds
 * to the host counts for the agent too; those that came with Java where the host has none.
 *
 * <p>Reads files; never on the event loop.
 */
public final class TlsTrust {
  private static final Logger LOG = LoggerFactory.getLogger(TlsTrust.class);
  private static final List<Path> HOST_BUNDLES =
      List.of(
          Path.of("/etc/ssl/certs/ca-certificates.crt"),
          Path.of("/etc/pki/tls/certs/ca-bundle.crt"),
          Path.of("/etc/ssl/ca-bundle.pem"),
          Path.of("/etc/ssl/cert.pem"));

  private TlsTrust() {}

  /**
   * @param extra a PEM file whose certificates are trusted too
   * @throws IOException when {@code extra} cannot be used
   */
  public static TrustOptions load(Optional<Path> extra) throws IOException {
    return load(HOST_BUNDLES, extra);
  }

  static TrustOptions load(List<Path> bundles, Optional<Path> extra) throws IOException {
    try {
      Collection<Certificate> trusted = new ArrayList<>(host(bundles));
      if (extra.isPresent()) {
        trusted.addAll(read(extra.get()));
      }
      return TrustOptions.wrap(trustManager(store(trusted)));
    } catch (GeneralSecurityException unusable) {
      throw new IOException("no TLS trust can be made: " + unusable.getMessage(), unusable);
    }
  }

  private static Collection<? extends Certificate> host(List<Path> bundles)
      throws GeneralSecurityException {
    for (Path bundle : bundles) {
      if (Files.isReadable(bundle)) {
        try {
          return read(bundle);
        } catch (IOException broken) {
          LOG.warn(
              "certificate bundle is skipped file={} reason=\"{}\"", bundle, broken.toString());
        }
      }
    }
    return Arrays.asList(trustManager(null).getAcceptedIssuers());
  }

  private static Collection<? extends Certificate> read(Path pem) throws IOException {
    try (InputStream in = Files.newInputStream(pem)) {
      var certificates = CertificateFactory.getInstance("X.509").generateCertificates(in);
      if (certificates.isEmpty()) {
        throw new IOException(pem + " has no certificate");
      }
      return certificates;
    } catch (GeneralSecurityException broken) {
      throw new IOException(pem + " is no PEM file of certificates", broken);
    }
  }

  private static KeyStore store(Collection<Certificate> certificates)
      throws IOException, GeneralSecurityException {
    KeyStore store = KeyStore.getInstance(KeyStore.getDefaultType());
    store.load(null, null);
    int number = 0;
    for (Certificate certificate : certificates) {
      store.setCertificateEntry("ca-" + number++, certificate);
    }
    return store;
  }

  /**
   * @param store {@code null} for what came with Java
   */
  private static X509TrustManager trustManager(KeyStore store) throws GeneralSecurityException {
    var factory = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
    factory.init(store);
    for (TrustManager manager : factory.getTrustManagers()) {
      if (manager instanceof X509TrustManager x509) {
        return x509;
      }
    }
    throw new GeneralSecurityException("Java has no X.509 trust manager");
  }
}
