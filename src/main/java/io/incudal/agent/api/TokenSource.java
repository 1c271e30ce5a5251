package io.incudal.agent.api;

import io.incudal.agent.config.Secret;
import io.incudal.agent.config.TokenConfig;
import io.incudal.agent.config.TokenText;
import io.incudal.agent.support.Repeater;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Where the static token comes from: the configuration, or a file that is looked at again and
 * again, so that it can be changed while the agent runs.
 *
 * <p>On the event loop; files are read by Vert.x's own workers. A file that cannot be used once the
 * agent runs leaves the last good token in force.
 */
final class TokenSource {
  private static final Logger LOG = LoggerFactory.getLogger(TokenSource.class);

  private final Vertx vertx;
  private final TokenConfig config;
  private final Duration interval;
  private final Consumer<Stream<Secret>> listener;
  private final Repeater reader;
  private Optional<Secret> last = Optional.empty();
  private boolean usable = true;

  /**
   * @param listener is told all tokens that are good from now on
   */
  TokenSource(
      Vertx vertx, TokenConfig config, Duration interval, Consumer<Stream<Secret>> listener) {
    this.vertx = vertx;
    this.config = config;
    this.interval = interval;
    this.listener = listener;
    this.reader = new Repeater(vertx, "token", this::readAgain, () -> interval);
  }

  /** Hands over the first tokens; fails when there are none. */
  Future<Void> open() {
    if (config.file().isEmpty()) {
      config.value().ifPresent(this::use);
      return Future.succeededFuture();
    }
    return read().onSuccess(first -> reader.start(interval)).mapEmpty();
  }

  Future<Void> close() {
    return reader.stop();
  }

  private Future<?> readAgain() {
    return read().otherwise(this::keep);
  }

  private Future<Secret> read() {
    Path file = config.file().orElseThrow();
    return vertx.fileSystem().readFile(file.toString()).map(TokenSource::token).map(this::use);
  }

  private static Secret token(Buffer content) {
    return TokenText.parse(content.toString(StandardCharsets.UTF_8));
  }

  private Secret use(Secret token) {
    if (!last.equals(Optional.of(token))) {
      if (last.isPresent()) {
        LOG.info("token changed");
      }
      last = Optional.of(token);
      listener.accept(Stream.concat(Stream.of(token), config.previous().stream()));
    }
    usable = true;
    return token;
  }

  private Secret keep(Throwable failure) {
    if (usable) {
      usable = false;
      LOG.warn(
          "token file cannot be used, the last token stays file={} reason={}",
          config.file().orElseThrow(),
          failure.getMessage());
    }
    return last.orElseThrow();
  }
}
