package io.incudal.agent.support;

import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.file.FileSystemException;
import java.nio.charset.StandardCharsets;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Small text files that are looked at again and again, so that they can be changed while the agent
 * runs. What cannot be used is logged once and leaves in force what the files held before.
 *
 * <p>Belongs to the context that it was made on; files are read by Vert.x's own workers.
 */
public final class FileWatch {
  private static final Logger LOG = LoggerFactory.getLogger(FileWatch.class);

  private final Vertx vertx;
  private final List<Path> files;
  private final Duration interval;
  private final Function<List<Optional<String>>, Future<Void>> reader;
  private final Repeater looks;
  private List<Optional<Buffer>> last;
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
    this(vertx, List.of(file), interval, contents -> reader.apply(contents.get(0)));
  }

  /**
   * Several files that mean something together only.
   *
   * @param reader takes the contents, in the order of the files, whenever one has changed
   */
  public FileWatch(
      Vertx vertx,
      List<Path> files,
      Duration interval,
      Function<List<Optional<String>>, Future<Void>> reader) {
    this.vertx = vertx;
    this.files = List.copyOf(files);
    this.interval = interval;
    this.reader = reader;
    this.looks = new Repeater(vertx, "look at " + name(), this::lookAgain, () -> interval);
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
    return Future.all(files.stream().map(this::read).toList())
        .compose(contents -> take(contents.list()));
  }

  private Future<Optional<Buffer>> read(Path file) {
    return vertx
        .fileSystem()
        .readFile(file.toString())
        .map(Optional::of)
        .recover(FileWatch::missing);
  }

  private static Future<Optional<Buffer>> missing(Throwable failure) {
    return failure instanceof FileSystemException
            && failure.getCause() instanceof NoSuchFileException
        ? Future.succeededFuture(Optional.empty())
        : Future.failedFuture(failure);
  }

  private Future<Void> take(List<Optional<Buffer>> contents) {
    Future<Void> taken =
        contents.equals(last)
            ? Future.succeededFuture()
            : reader.apply(contents.stream().map(FileWatch::text).toList());
    return taken.onSuccess(
        done -> {
          last = contents;
          complaint = null;
        });
  }

  private static Optional<String> text(Optional<Buffer> content) {
    return content.map(bytes -> bytes.toString(StandardCharsets.UTF_8));
  }

  private Void complain(Throwable failure) {
    String reason = Objects.requireNonNullElseGet(failure.getMessage(), failure::toString);
    if (!reason.equals(complaint)) {
      complaint = reason;
      LOG.warn("file cannot be used, what it held before stays file={} reason={}", name(), reason);
    }
    return null;
  }

  private String name() {
    return files.stream().map(Path::toString).collect(Collectors.joining(","));
  }
}
