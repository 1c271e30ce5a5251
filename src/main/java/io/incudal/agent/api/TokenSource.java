package io.incudal.agent.api;

import io.incudal.agent.config.Secret;
import io.incudal.agent.config.TokenConfig;
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
  private Optional<String> last = Optional.empty();
  private boolean usable = true;
  private boolean closed;
  private long timer = -1;

  TokenSource(
      Vertx vertx, TokenConfig config, Duration interval, Consumer<Stream<Secret>> listener) {
    this.vertx = vertx;
    this.config = config;
    this.interval = interval;
    this.listener = listener;
  }

  /** Hands over the first token; fails when there is none. */
  Future<Void> open() {
    if (config.file().isEmpty()) {
      listener.accept(Stream.concat(config.value().stream(), config.previous().stream()));
      return Future.succeededFuture();
    }
    Path file = config.file().get();
    return read(file).map(this::use).onSuccess(done -> watch(file));
  }

  void close() {
    closed = true;
    vertx.cancelTimer(timer);
  }

  private void watch(Path file) {
    if (!closed) {
      timer =
          vertx.setTimer(
              interval.toMillis(),
              due ->
                  read(file).map(this::use).otherwise(this::keep).onComplete(done -> watch(file)));
    }
  }

  private Future<String> read(Path file) {
    return vertx.fileSystem().readFile(file.toString()).map(TokenSource::token);
  }

  private static String token(Buffer content) {
    String token = content.toString(StandardCharsets.UTF_8).strip();
    if (token.isEmpty()) {
      throw new IllegalStateException("it is empty");
    }
    return token;
  }

  private Void use(String token) {
    if (!usable || !last.equals(Optional.of(token))) {
      if (last.isPresent()) {
        LOG.info("token read again file={}", config.file().get());
      }
      usable = true;
      last = Optional.of(token);
      listener.accept(Stream.concat(Stream.of(new Secret(token)), config.previous().stream()));
    }
    return null;
  }

  private Void keep(Throwable failure) {
    if (usable) {
      usable = false;
      LOG.warn(
          "token file cannot be used, the last token stays file={} reason={}",
          config.file().get(),
          failure.getMessage());
    }
    return null;
  }
}
