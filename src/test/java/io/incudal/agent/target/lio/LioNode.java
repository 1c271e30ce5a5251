package io.incudal.agent.target.lio;

import io.incudal.agent.bus.AgentException;
import io.incudal.agent.config.BackendConfig;
import io.incudal.agent.config.ImageConfig;
import io.incudal.agent.config.NodeConfig;
import io.incudal.agent.exec.ToolListener;
import io.incudal.agent.exec.ToolRunners;
import io.incudal.agent.lab.Lab;
import io.incudal.agent.target.Backing;
import io.incudal.agent.target.Iqn;
import io.incudal.agent.target.Target;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.OptionalInt;
import java.util.function.Supplier;

/** The back end on a lab's kernel, for tests that block. */
final class LioNode implements AutoCloseable {
  static final String BASE = "iqn.2026-07.com.controller";

  private final Vertx vertx = Vertx.vertx();
  private final Context context = vertx.getOrCreateContext();
  private final Path images;
  private final LioBackend backend;

  LioNode(Lab lab, Duration commandTimeout, boolean writeBack) {
    this.images = lab.images();
    var daemon =
        new BackendConfig(
            BackendConfig.Kind.LIO,
            BackendConfig.Executor.DOCKER,
            lab.container(),
            lab.settings().get("DOCKER_HOST"),
            commandTimeout,
            OptionalInt.empty(),
            writeBack,
            false);
    var directory = new ImageConfig(images, 1L << 40, Duration.ofSeconds(30), 2);
    var config = new NodeConfig(null, null, null, BASE, daemon, directory, null, null, null);
    backend = new LioBackend(vertx, ToolRunners.create(vertx, daemon, ToolListener.NONE), config);
  }

  static LioNode opened(Lab lab) {
    var node = new LioNode(lab, Duration.ofSeconds(30), true);
    node.open();
    return node;
  }

  static Iqn iqn(String name) {
    return new Iqn(BASE + ":" + name);
  }

  /** Whether a scan is needed. Tries again, as the agent does, when a session was lost. */
  boolean open() {
    try {
      return run(backend::open).needsScan();
    } catch (AgentException lost) {
      return run(backend::open).needsScan();
    }
  }

  boolean alive() {
    try {
      return run(backend::alive);
    } catch (AgentException lost) {
      return false;
    }
  }

  List<String> names() {
    return run(backend::list).stream().map(Target::iqn).sorted().toList();
  }

  List<Target> list() {
    return run(backend::list);
  }

  /** Makes an image of a MiB and exports it. */
  Path export(String name) {
    return export(name, 1);
  }

  Path export(String name, int mebibytes) {
    Path image = image(name, mebibytes);
    run(() -> backend.export(iqn(name), new Backing(image, false)));
    return image;
  }

  Future<Void> beginExport(String name) {
    Path image = image(name, 1);
    return begin(() -> backend.export(iqn(name), new Backing(image, false)));
  }

  Future<Void> beginUnexport(String name) {
    return begin(() -> backend.unexport(iqn(name), false));
  }

  AgentException refusedExport(String name) {
    return failure(beginExport(name));
  }

  void unexport(String name) {
    run(() -> backend.unexport(iqn(name), false));
  }

  void cut(String name) {
    run(() -> backend.unexport(iqn(name), true));
  }

  AgentException refusedUnexport(String name) {
    return failure(beginUnexport(name));
  }

  private static AgentException failure(Future<Void> action) {
    try {
      action.await();
    } catch (AgentException expected) {
      return expected;
    }
    throw new AssertionError("it was not refused");
  }

  Path image(String name, int mebibytes) {
    Path image = images.resolve(name + ".img");
    try (var file = new RandomAccessFile(image.toFile(), "rw")) {
      file.setLength((long) mebibytes << 20);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return image;
  }

  private <T> T run(Supplier<Future<T>> action) {
    return begin(action).await();
  }

  private <T> Future<T> begin(Supplier<Future<T>> action) {
    Promise<T> result = Promise.promise();
    context.runOnContext(go -> action.get().onComplete(result));
    return result.future();
  }

  @Override
  public void close() {
    run(backend::close);
    vertx.close().await();
  }
}
