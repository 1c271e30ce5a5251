package io.incudal.agent.api;

import io.incudal.agent.config.TlsConfig;
import io.incudal.agent.support.Repeater;
import io.vertx.core.CompositeFuture;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import java.nio.file.Path;
import java.security.cert.CertificateException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The TLS files, looked at again and again, so that certificates can be renewed while the agent
 * runs. Certificate and key are two files, so there are moments in which they do not fit: what
 * cannot be used leaves the last good ones in use.
 *
 * <p>On the event loop; Vert.x's own workers read and check.
 */
final class TlsSource {
  private static final Logger LOG = LoggerFactory.getLogger(TlsSource.class);

  private final Vertx vertx;
  private final TlsConfig files;
  private final Duration interval;
  private final Repeater reader;
  private Function<TlsIdentity, Future<?>> listener = first -> Future.succeededFuture();
  private List<Buffer> last = List.of();
  private boolean usable = true;

  TlsSource(Vertx vertx, TlsConfig files, Duration interval) {
    this.vertx = vertx;
    this.files = files;
    this.interval = interval;
    this.reader = new Repeater(vertx, "tls", this::readAgain, () -> interval);
  }

  /**
   * What the files hold now; fails when it cannot be used.
   *
   * @param changed is told what they hold whenever it is something else, and puts it to use
   */
  Future<TlsIdentity> open(Function<TlsIdentity, Future<?>> changed) {
    return read()
        .compose(
            contents ->
                check(contents)
                    .onSuccess(
                        first -> {
                          taken(contents, first);
                          listener = changed;
                          reader.start(interval);
                        }));
  }

  Future<Void> close() {
    return reader.stop();
  }

  private Future<?> readAgain() {
    return read().compose(this::take).onFailure(this::keep).otherwiseEmpty();
  }

  private Future<?> take(List<Buffer> contents) {
    if (contents.equals(last)) {
      if (!usable) {
        usable = true;
        LOG.info("tls files can be used again");
      }
      return Future.succeededFuture();
    }
    return check(contents)
        .compose(
            identity -> listener.apply(identity).onSuccess(inUse -> taken(contents, identity)));
  }

  private void taken(List<Buffer> contents, TlsIdentity identity) {
    last = contents;
    usable = true;
    var certificate = identity.certificate();
    LOG.info(
        "tls certificate in use subject=\"{}\" not_after={}",
        certificate.getSubjectX500Principal(),
        certificate.getNotAfter().toInstant());
    try {
      certificate.checkValidity();
    } catch (CertificateException expired) {
      LOG.warn("tls certificate is not valid now: {}", expired.getMessage());
    }
  }

  private void keep(Throwable failure) {
    if (usable) {
      usable = false;
      LOG.warn(
          "tls files cannot be used, the last ones stay in use reason=\"{}\"",
          failure.getMessage());
    }
  }

  private Future<TlsIdentity> check(List<Buffer> contents) {
    return vertx.executeBlocking(() -> TlsIdentity.of(vertx, files, contents), false);
  }

  private Future<List<Buffer>> read() {
    List<Future<Buffer>> all = new ArrayList<>();
    all.add(read("IPXE_TLS_CERT", files.certificate()));
    all.add(read("IPXE_TLS_KEY", files.key()));
    files.clientCa().ifPresent(ca -> all.add(read("IPXE_TLS_CLIENT_CA", ca)));
    return Future.all(all).map(CompositeFuture::list);
  }

  private Future<Buffer> read(String setting, Path file) {
    return vertx
        .fileSystem()
        .readFile(file.toString())
        .recover(
            failure ->
                Future.failedFuture(
                    TlsIdentity.unusable(setting, file, "cannot be read", failure)));
  }
}
