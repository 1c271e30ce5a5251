package io.incudal.agent.image;

import io.incudal.agent.config.ImageConfig;
import io.vertx.core.Future;
import io.vertx.core.WorkerExecutor;
import java.util.List;
import java.util.Optional;

/**
 * The files of the image directory. Every method runs on one of the given pools and completes on
 * the caller's context; copies have a pool of their own, so that they hold up nothing else.
 * Failures are {@code NO_SPACE}, {@code IO_ERROR}, or as said.
 */
public final class ImageStore {
  public ImageStore(ImageConfig config, WorkerExecutor files, WorkerExecutor copies) {}

  /** The file of exactly this name; empty when there is none or it is no regular file. */
  public Future<Optional<ImageFile>> find(ImageName name) {
    throw new UnsupportedOperationException();
  }

  /** The entry, of whatever kind, whose name is this one or differs from it only in case. */
  public Future<Optional<ImageName>> findSameFolded(ImageName name) {
    throw new UnsupportedOperationException();
  }

  /** The regular, visible files ending in .img or .iso that are no masters, in name order. */
  public Future<List<ImageFile>> exportable() {
    throw new UnsupportedOperationException();
  }

  /** The regular, visible files with this IQN recorded, in name order. */
  public Future<List<ImageFile>> findByRecordedIqn(String iqn) {
    throw new UnsupportedOperationException();
  }

  /**
   * Clones a master under a hidden name: by reflink, else by a copy that keeps holes.
   *
   * @param recordedIqn kept with the file where it differs from the name's
   */
  public Future<StagedImage> stageClone(
      ImageFile master, ImageName name, Optional<String> recordedIqn) {
    throw new UnsupportedOperationException();
  }

  /** Makes an empty, sparse image under a hidden name. */
  public Future<StagedImage> stageEmpty(long bytes, ImageName name, Optional<String> recordedIqn) {
    throw new UnsupportedOperationException();
  }

  /**
   * Moves a staged image to its name and syncs the directory. Never replaces anything: fails with
   * {@code BACKING_EXISTS}.
   */
  public Future<ImageFile> publish(StagedImage staged) {
    throw new UnsupportedOperationException();
  }

  /** Removes a staged image that will not be published. Succeeds when it is gone already. */
  public Future<Void> discard(StagedImage staged) {
    throw new UnsupportedOperationException();
  }

  /** Removes a file and syncs the directory. Succeeds when it is gone already. */
  public Future<Void> remove(ImageName name) {
    throw new UnsupportedOperationException();
  }

  /** Adds an IQN to those recorded with a file; no error where that cannot be kept. */
  public Future<Void> recordIqn(ImageName name, String iqn) {
    throw new UnsupportedOperationException();
  }

  /** Takes an IQN away from those recorded with a file; no error where none is kept. */
  public Future<Void> forgetIqn(ImageName name, String iqn) {
    throw new UnsupportedOperationException();
  }

  /** Removes what a crash left behind. Called at start, before anything is staged. */
  public Future<Integer> sweep() {
    throw new UnsupportedOperationException();
  }

  /** Makes running copies fail soon. */
  public void cancelCopies() {
    throw new UnsupportedOperationException();
  }
}
