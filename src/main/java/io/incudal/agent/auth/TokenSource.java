package io.incudal.agent.auth;

import io.incudal.agent.config.Secret;
import io.incudal.agent.config.TokenConfig;
import io.incudal.agent.config.TokenText;
import io.incudal.agent.support.FileWatch;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.time.Duration;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Where the static token comes from: the configuration, or a file that can be changed while the
 * agent runs. On the event loop. A file that cannot be used once the agent runs leaves the last
 * good token in force.
 */
final class TokenSource {
  private static final Logger LOG = LoggerFactory.getLogger(TokenSource.class);

  private final TokenConfig config;
  private final Consumer<Stream<Secret>> listener;
  private final Optional<FileWatch> file;
  private Optional<Secret> last = Optional.empty();

  /**
   * @param listener is told all tokens that are good from now on
   */
  TokenSource(
      Vertx vertx, TokenConfig config, Duration interval, Consumer<Stream<Secret>> listener) {
    this.config = config;
    this.listener = listener;
    this.file = config.file().map(path -> new FileWatch(vertx, path, interval, this::read));
  }

  /** Hands over the first tokens; fails when the file has none. */
  Future<Void> open() {
    config.value().ifPresent(this::use);
    return file.map(FileWatch::open).orElseGet(Future::succeededFuture);
  }

  Future<Void> close() {
    return file.map(FileWatch::stop).orElseGet(Future::succeededFuture);
  }

  private void read(Optional<String> content) {
    use(
        TokenText.parse(
            content.orElseThrow(() -> new IllegalArgumentException("there is no such file"))));
  }

  private void use(Secret token) {
    if (!last.equals(Optional.of(token))) {
      if (last.isPresent()) {
        LOG.info("token changed");
      }
      last = Optional.of(token);
      listener.accept(Stream.concat(Stream.of(token), config.previous().stream()));
    }
  }
}
