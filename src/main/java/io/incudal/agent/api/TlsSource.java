package io.incudal.agent.api;

import io.incudal.agent.config.TlsConfig;
import io.incudal.agent.support.FileWatch;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.file.FileSystemException;
import java.io.IOException;
import java.nio.file.Path;
import java.security.cert.CertificateException;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The TLS files, so that certificates can be renewed while the agent runs. Certificate and key are
 * two files, so there are moments in which they do not fit: what cannot be used leaves the last
 * good ones in use.
 *
 * <p>On the event loop; Vert.x's own workers read and check.
 */
final class TlsSource {
  private static final Logger LOG = LoggerFactory.getLogger(TlsSource.class);

  private final Vertx vertx;
  private final TlsConfig files;
  private final Function<TlsIdentity, Future<?>> use;
  private final FileWatch watch;

  /**
   * @param interval how often the files are looked at
   * @param use takes what they hold, now and whenever it is something else that can be used
   */
  TlsSource(Vertx vertx, TlsConfig files, Duration interval, Function<TlsIdentity, Future<?>> use) {
    this.vertx = vertx;
    this.files = files;
    this.use = use;
    List<Path> paths = new ArrayList<>(List.of(files.certificate(), files.key()));
    files.clientCa().ifPresent(paths::add);
    this.watch = new FileWatch(vertx, paths, interval, this::take);
  }

  /** Completes when what the files hold is in use; fails, naming them, when it cannot be. */
  Future<Void> open() {
    return watch
        .open()
        .recover(
            failure ->
                Future.failedFuture(
                    failure instanceof FileSystemException
                        ? new IOException(
                            "IPXE_TLS_CERT, IPXE_TLS_KEY or IPXE_TLS_CLIENT_CA: "
                                + failure.getMessage(),
                            failure)
                        : failure));
  }

  Future<Void> close() {
    return watch.stop();
  }

  private Future<Void> take(List<Optional<String>> contents) {
    return vertx
        .executeBlocking(() -> TlsIdentity.of(vertx, files, contents), false)
        .compose(identity -> use.apply(identity).map(identity.certificate()))
        .onSuccess(TlsSource::tell)
        .mapEmpty();
  }

  private static void tell(X509Certificate certificate) {
    LOG.info(
        "tls certificate in use subject=\"{}\" not_after={}",
        certificate.getSubjectX500Principal(),
        certificate.getNotAfter().toInstant());
    try {
      certificate.checkValidity();
    } catch (CertificateException notNow) {
      LOG.warn("tls certificate is not valid now reason=\"{}\"", notNow.getMessage());
    }
  }
}
