package io.incudal.agent.support;

import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.file.FileSystemException;
import java.nio.charset.StandardCharsets;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A small text file that is looked at again and again, so that it can be changed while the agent
 * runs. What cannot be used is logged once and leaves in force what the file held before.
 *
 * <p>Belongs to the context that it was made on; the file is read by Vert.x's own workers.
 */
public final class FileWatch {
  private static final Logger LOG = LoggerFactory.getLogger(FileWatch.class);

  private final Vertx vertx;
  private final Path file;
  private final Duration interval;
  private final Function<Optional<String>, Future<Void>> reader;
  private final Repeater looks;
  private Optional<Buffer> last;
  private String complaint;

  /**
   * @param reader takes the content whenever it has changed, or that there is no such file; throws
   *     an {@link IllegalArgumentException} for what cannot be used
   */
  public FileWatch(Vertx vertx, Path file, Duration interval, Consumer<Optional<String>> reader) {
    this(
        vertx,
        file,
        interval,
        content -> {
          reader.accept(content);
          return Future.succeededFuture();
        });
  }

  /**
   * @param reader the same for a content that takes its time: fails for what cannot be used
   */
  public FileWatch(
      Vertx vertx, Path file, Duration interval, Function<Optional<String>, Future<Void>> reader) {
    this.vertx = vertx;
    this.file = file;
    this.interval = interval;
    this.reader = reader;
    this.looks = new Repeater(vertx, "look at " + file, this::lookAgain, () -> interval);
  }

  /** Begins with a content that can be used; without one it fails, and looks no more. */
  public Future<Void> open() {
    return look().onSuccess(first -> looks.start(interval));
  }

  /** Begins with whatever there is; completes after the first look and never fails. */
  public Future<Void> start() {
    return looks.start(Duration.ZERO);
  }

  /** Completes when the file is looked at no more. */
  public Future<Void> stop() {
    return looks.stop();
  }

  private Future<Void> lookAgain() {
    return look().otherwise(this::complain);
  }

  private Future<Void> look() {
    return vertx
        .fileSystem()
        .readFile(file.toString())
        .map(Optional::of)
        .recover(FileWatch::missing)
        .compose(this::take);
  }

  private static Future<Optional<Buffer>> missing(Throwable failure) {
    return failure instanceof FileSystemException
            && failure.getCause() instanceof NoSuchFileException
        ? Future.succeededFuture(Optional.empty())
        : Future.failedFuture(failure);
  }

  private Future<Void> take(Optional<Buffer> content) {
    Future<Void> taken =
        content.equals(last)
            ? Future.succeededFuture()
            : reader.apply(content.map(bytes -> bytes.toString(StandardCharsets.UTF_8)));
    return taken.onSuccess(
        done -> {
          last = content;
          complaint = null;
        });
  }

  private Void complain(Throwable failure) {
    String reason = failure.getMessage();
    if (!reason.equals(complaint)) {
      complaint = reason;
      LOG.warn("file cannot be used, what it held before stays file={} reason={}", file, reason);
    }
    return null;
  }
}
