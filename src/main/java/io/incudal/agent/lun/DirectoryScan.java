package io.incudal.agent.lun;

import io.incudal.agent.bus.AgentException;
import io.incudal.agent.image.ImageFile;
import io.incudal.agent.image.ImageStore;
import io.incudal.agent.lun.LunMessages.Scanned;
import io.incudal.agent.lun.ScanPlan.Item;
import io.incudal.agent.target.Backing;
import io.incudal.agent.target.Iqn;
import io.incudal.agent.target.Target;
import io.vertx.core.Future;
import java.util.ArrayList;
import java.util.List;

/**
 * Exports what the image directory holds. Each file takes its target's turn, all of them at the
 * begin: operations that come later come after, and those on other targets go on meanwhile.
 */
final class DirectoryScan {
  /** Those that wait for a save share it; the daemon itself takes one command at a time. */
  private static final int SIDE_BY_SIDE = 256;

  private final Exports exports;
  private final ImageStore images;
  private final ImagePaths paths;
  private final Names names;

  DirectoryScan(Exports exports, ImageStore images, ImagePaths paths, Names names) {
    this.exports = exports;
    this.images = images;
    this.paths = paths;
    this.names = names;
  }

  /** What became of one file; all three empty when it is gone meanwhile. */
  private record Result(
      List<Scanned.Created> created, List<String> skipped, List<Scanned.Failed> failed) {
    static final Result NOTHING = new Result(List.of(), List.of(), List.of());

    static Result skipped(String iqn) {
      return new Result(List.of(), List.of(iqn), List.of());
    }

    static Result failed(String file, String why) {
      return new Result(List.of(), List.of(), List.of(new Scanned.Failed(file, why)));
    }
  }

  /** One run, and what it has to know. */
  private record Run(Turns turns, Operation operation, Slots slots, Stop stop) {}

  /** Set when the back end is gone: what is left of the scan would only fail one by one. */
  private static final class Stop {
    private AgentException why;
  }

  /**
   * @param planned called when all turns are taken
   */
  Future<Scanned> scan(Turns turns, Operation operation, Runnable planned) {
    var run = new Run(turns, operation, new Slots(SIDE_BY_SIDE), new Stop());
    // The directory may have been mounted after the agent's start; a failure shows up again below.
    return images
        .sweep()
        .transform(swept -> images.exportable())
        .compose(files -> exports.list().map(targets -> plan(files, targets)))
        .compose(
            items -> {
              List<Future<Result>> results =
                  items.stream().map(item -> perform(item, run)).toList();
              planned.run();
              return Future.join(results).transform(done -> outcome(run, results));
            });
  }

  private List<Item> plan(List<ImageFile> files, List<Target> targets) {
    return ScanPlan.of(files, new UsedFiles(paths.all(), targets), names);
  }

  private Future<Result> perform(Item item, Run run) {
    if (item instanceof Item.Export export) {
      return run.turns()
          .ofScannedTarget(export.iqn(), () -> run.slots().use(() -> inFileTurn(export, run)));
    }
    return Future.succeededFuture(
        item instanceof Item.Skip skip
            ? Result.skipped(skip.iqn())
            : Result.failed(((Item.Fail) item).file().value(), ((Item.Fail) item).why()));
  }

  private Future<Result> inFileTurn(Item.Export export, Run run) {
    return run.stop().why != null
        ? Future.failedFuture(run.stop().why)
        : run.turns().ofFile(export.file().name(), () -> exportIfStillThere(export, run));
  }

  /** The plan is as old as the turns before this one were long. */
  private Future<Result> exportIfStillThere(Item.Export export, Run run) {
    if (exports.knows(export.iqn())) {
      return Future.succeededFuture(Result.skipped(export.iqn().value()));
    }
    return images
        .find(export.file().name())
        .compose(
            found ->
                found.isEmpty() ? Future.succeededFuture(Result.NOTHING) : export(export, run));
  }

  private Future<Result> export(Item.Export export, Run run) {
    boolean cd = export.file().name().isIso();
    return exports
        .export(export.iqn(), new Backing(export.file().path(), cd))
        .map(
            done -> {
              var created = new Scanned.Created(export.iqn().value(), cd);
              return new Result(List.of(created), List.of(), List.of());
            })
        .recover(failure -> failed(export, run, failure));
  }

  private static Future<Result> failed(Item.Export export, Run run, Throwable failure) {
    if (!(failure instanceof AgentException known)) {
      return Future.failedFuture(failure);
    }
    return switch (known.code()) {
      case TARGET_EXISTS -> Future.succeededFuture(Result.skipped(export.iqn().value()));
      case DOCKER_UNAVAILABLE, CONTAINER_UNAVAILABLE, BACKEND_UNAVAILABLE, RECOVERING, STOPPING -> {
        run.stop().why = known;
        yield Future.failedFuture(known);
      }
      default ->
          Future.succeededFuture(Result.failed(export.file().name().value(), known.getMessage()));
    };
  }

  private Future<Scanned> outcome(Run run, List<Future<Result>> results) {
    if (run.stop().why != null) {
      return Future.failedFuture(run.stop().why);
    }
    List<Scanned.Created> created = new ArrayList<>();
    List<String> skipped = new ArrayList<>();
    List<Scanned.Failed> failed = new ArrayList<>();
    for (Future<Result> result : results) {
      if (result.failed()) {
        return Future.failedFuture(result.cause());
      }
      created.addAll(result.result().created());
      skipped.addAll(result.result().skipped());
      failed.addAll(result.result().failed());
    }
    created.forEach(one -> undoable(names.iqn(one.iqn()), run));
    return Future.succeededFuture(new Scanned(created, skipped, failed));
  }

  /** A scan that fails half-way keeps what it has: the next one goes on from there. */
  private void undoable(Iqn iqn, Run run) {
    run.operation()
        .onFailure(
            "remove target " + iqn,
            () -> run.turns().ofScannedTarget(iqn, () -> exports.unexport(iqn, false)));
  }
}
