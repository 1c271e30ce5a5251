package io.incudal.agent.auth;

import io.incudal.agent.support.FileWatch;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.function.Function;

/** Keys in a file that may change while the agent runs. Vert.x's own workers parse them. */
final class JwtKeyFile implements JwtKeySource {
  private final Vertx vertx;
  private final Path path;
  private final Function<String, JwtKeys> parser;
  private final FileWatch file;
  private Future<Void> opened;
  private JwtKeys keys = JwtKeys.NONE;

  /**
   * @param parser refuses a file without a key that can be used
   */
  JwtKeyFile(Vertx vertx, Path path, Duration interval, Function<String, JwtKeys> parser) {
    this.vertx = vertx;
    this.path = path;
    this.parser = parser;
    this.file = new FileWatch(vertx, path, interval, this::read);
  }

  @Override
  public Future<Void> open() {
    opened =
        file.open()
            .recover(
                failure ->
                    Future.failedFuture(
                        new IOException(
                            "no key for JWTs in " + path + ": " + failure.getMessage(), failure)));
    return opened;
  }

  @Override
  public Future<Void> close() {
    return file.stop();
  }

  @Override
  public JwtKeys keys() {
    return keys;
  }

  /** Later changes come by themselves; only the first look is worth waiting for. */
  @Override
  public Future<JwtKeys> fresh() {
    return opened.transform(done -> Future.succeededFuture(keys));
  }

  private Future<Void> read(Optional<String> content) {
    return content
        .map(text -> vertx.executeBlocking(() -> parser.apply(text), false))
        .orElseGet(() -> Future.failedFuture("there is no such file"))
        .onSuccess(this::use)
        .mapEmpty();
  }

  private void use(JwtKeys changed) {
    keys = changed;
    keys.announce();
  }
}
