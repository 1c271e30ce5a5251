package io.incudal.agent.image;

import io.incudal.agent.config.ImageConfig;
import io.vertx.core.Future;
import io.vertx.core.WorkerExecutor;
import java.io.IOException;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.UnaryOperator;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The files of the image directory. Every method runs on one of the given pools and completes on
 * the caller's context; copies have a pool of their own, so that they hold up nothing else.
 * Failures are {@code NO_SPACE}, {@code IO_ERROR}, or as said.
 */
public final class ImageStore {
  private static final Logger LOG = LoggerFactory.getLogger(ImageStore.class);

  private final ImageDirectory directory;
  private final Stager stager;
  private final WorkerExecutor files;
  private final WorkerExecutor copies;
  private volatile boolean cancelled;

  /**
   * @param files runs everything that is quick
   * @param copies runs full copies, as many side by side as it has threads; a copy may take hours
   */
  public ImageStore(
      ImageConfig config, WorkerExecutor files, WorkerExecutor copies, CloneListener listener) {
    directory = new ImageDirectory(config.directory());
    stager = new Stager(directory, LinuxFiles::get, listener, System::nanoTime);
    this.files = files;
    this.copies = copies;
  }

  ImageStore(ImageDirectory directory, Stager stager, WorkerExecutor files, WorkerExecutor copies) {
    this.directory = directory;
    this.stager = stager;
    this.files = files;
    this.copies = copies;
  }

  /** Work on files that fails as files do. */
  private interface FileWork<T> {
    T run() throws IOException;
  }

  /** The file of exactly this name; empty when there is none or it is no regular file. */
  public Future<Optional<ImageFile>> find(ImageName name) {
    return on(files, "looking for '" + name + "'", () -> directory.find(name));
  }

  /** The entry, of whatever kind, whose name is this one or differs from it only in case. */
  public Future<Optional<ImageName>> findSameFolded(ImageName name) {
    return on(files, "looking for '" + name + "'", () -> directory.findSameFolded(name));
  }

  /** The regular, visible files ending in .img or .iso that are no masters, in name order. */
  public Future<List<ImageFile>> exportable() {
    return on(
        files,
        "listing the images",
        () -> directory.images(name -> (name.isDisk() || name.isIso()) && !name.isMaster()));
  }

  /** The regular, visible files with this IQN recorded, in name order. */
  public Future<List<ImageFile>> findByRecordedIqn(String iqn) {
    return on(
        files,
        "looking for the image of '" + iqn + "'",
        () ->
            directory.images(name -> name.isDisk() || name.isIso()).stream()
                .filter(file -> file.iqns().contains(iqn))
                .toList());
  }

  /** The file system that holds the directory. */
  public Future<ImageFileSystem> fileSystem() {
    return on(files, "reading the mounts of this host", () -> ImageFileSystem.of(directory.path()));
  }

  /**
   * Clones a master under a hidden name: by reflink, else by a copy that keeps holes. Fails with
   * {@code MASTER_NOT_FOUND}, {@code INVALID_MASTER}, or {@code STOPPING} when copies were
   * cancelled.
   *
   * @param recordedIqn kept with the file where it differs from the name's
   */
  public Future<StagedImage> stageClone(
      ImageFile master, ImageName name, Optional<String> recordedIqn) {
    var order = new Stager.Order(name, recordedIqn);
    String doing = "cloning '" + master.name() + "' to '" + name + "'";
    return on(files, doing, () -> stager.reflink(master, order))
        .compose(
            reflinked ->
                reflinked
                    .map(Future::succeededFuture)
                    .orElseGet(
                        () ->
                            on(copies, doing, () -> stager.copy(master, order, this::cancelled))));
  }

  /** Makes an empty, sparse image under a hidden name. */
  public Future<StagedImage> stageEmpty(long bytes, ImageName name, Optional<String> recordedIqn) {
    return on(
        files,
        "making '" + name + "'",
        () -> stager.empty(bytes, new Stager.Order(name, recordedIqn)));
  }

  /**
   * Moves a staged image to its name and syncs the directory. Never replaces anything: fails with
   * {@code BACKING_EXISTS}.
   */
  public Future<ImageFile> publish(StagedImage staged) {
    ImageName name = staged.name();
    return on(files, "moving '" + name + "' into place", () -> stager.publish(staged));
  }

  /** Removes a staged image that will not be published. Succeeds when it is gone already. */
  public Future<Void> discard(StagedImage staged) {
    return on(
        files,
        "removing the unfinished '" + staged.name() + "'",
        () -> {
          Files.deleteIfExists(staged.temporary());
          return null;
        });
  }

  /** Removes a file and syncs the directory. Succeeds when it is gone already. */
  public Future<Void> remove(ImageName name) {
    return on(
        files,
        "removing '" + name + "'",
        () -> {
          directory.remove(name);
          return null;
        });
  }

  /** Adds an IQN to those recorded with a file; no error where that cannot be kept. */
  public Future<Void> recordIqn(ImageName name, String iqn) {
    return changeIqns(
        name,
        known -> {
          var more = new ArrayList<>(known);
          if (!more.contains(iqn)) {
            more.add(iqn);
          }
          return more;
        });
  }

  /** Takes an IQN away from those recorded with a file; no error where none is kept. */
  public Future<Void> forgetIqn(ImageName name, String iqn) {
    return changeIqns(name, known -> known.stream().filter(other -> !other.equals(iqn)).toList());
  }

  /**
   * Removes what a crash left behind. Called at start, and again when the directory was not there;
   * leaves alone what this process is building.
   */
  public Future<Integer> sweep() {
    return on(files, "removing unfinished images", stager::sweep).onSuccess(this::swept);
  }

  /** Makes running copies fail soon, and waiting ones at once. */
  public void cancelCopies() {
    cancelled = true;
  }

  private Future<Void> changeIqns(ImageName name, UnaryOperator<List<String>> change) {
    return on(
        files,
        "recording the iqn of '" + name + "'",
        () -> {
          directory.changeIqns(name, change);
          return null;
        });
  }

  private void swept(int count) {
    if (count > 0) {
      LOG.info("unfinished images removed count={}", count);
    }
    on(files, "loading native calls", this::warmUp)
        .onFailure(failure -> LOG.error("native calls not loaded", failure));
  }

  private Void warmUp() {
    stager.warmUp();
    return null;
  }

  private boolean cancelled() {
    return cancelled;
  }

  private static <T> Future<T> on(WorkerExecutor pool, String doing, FileWork<T> work) {
    return pool.executeBlocking(
        () -> {
          try {
            return work.run();
          } catch (IOException failed) {
            throw FileFailures.translate(failed, doing);
          }
        },
        false);
  }
}
