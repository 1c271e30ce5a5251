package io.incudal.agent.lun;

import io.incudal.agent.bus.AgentException;
import io.incudal.agent.bus.ErrorCode;
import io.incudal.agent.image.ImageFile;
import io.incudal.agent.image.ImageName;
import io.incudal.agent.image.ImageStore;
import io.incudal.agent.image.StagedImage;
import io.incudal.agent.lun.LunMessages.Exported;
import io.incudal.agent.target.Backing;
import io.vertx.core.Future;
import java.util.Optional;

/**
 * Makes a disk: checks, builds the file under a hidden name, moves it into place, exports it. Runs
 * in the turns of the target and of the file.
 */
final class DiskCreation {
  private final Exports exports;
  private final ImageStore images;

  DiskCreation(Exports exports, ImageStore images) {
    this.exports = exports;
    this.images = images;
  }

  Future<Exported> create(DiskOrder order, Operation operation) {
    return exports
        .refuseKnown(order.iqn())
        .compose(free -> images.findSameFolded(order.file()))
        .compose(this::refusePresent)
        .compose(free -> master(order))
        .compose(master -> stage(master, order, operation))
        .compose(staged -> publish(staged, operation))
        .compose(file -> export(file, order, operation));
  }

  private Future<Void> refusePresent(Optional<ImageName> present) {
    return present.isEmpty()
        ? Future.succeededFuture()
        : Future.failedFuture(
            new AgentException(
                ErrorCode.BACKING_EXISTS, "backing file already exists: " + present.get()));
  }

  private Future<Optional<ImageFile>> master(DiskOrder order) {
    if (order.master().isEmpty()) {
      return Future.succeededFuture(Optional.empty());
    }
    ImageName name = order.master().get();
    return images.find(name).compose(found -> usable(name, found));
  }

  private static Future<Optional<ImageFile>> usable(ImageName name, Optional<ImageFile> found) {
    if (found.isEmpty()) {
      return Future.failedFuture(
          new AgentException(ErrorCode.MASTER_NOT_FOUND, "master image not found: " + name));
    }
    if (!found.get().wholeBlocks()) {
      return Future.failedFuture(
          new AgentException(
              ErrorCode.INVALID_MASTER,
              "master image '" + name + "' is empty or no multiple of 512 bytes"));
    }
    return Future.succeededFuture(found);
  }

  private Future<StagedImage> stage(
      Optional<ImageFile> master, DiskOrder order, Operation operation) {
    Future<StagedImage> staged =
        master.isPresent()
            ? images.stageClone(master.get(), order.file(), order.recorded())
            : images.stageEmpty(order.bytes().getAsLong(), order.file(), order.recorded());
    return staged.onSuccess(
        image -> operation.onFailure("discard " + image.temporary(), () -> images.discard(image)));
  }

  private Future<ImageFile> publish(StagedImage staged, Operation operation) {
    return images
        .publish(staged)
        .onSuccess(
            file -> operation.onFailure("remove " + file.path(), () -> images.remove(file.name())));
  }

  private Future<Exported> export(ImageFile file, DiskOrder order, Operation operation) {
    return exports
        .export(order.iqn(), new Backing(file.path(), false))
        .map(
            done -> {
              operation.onFailure(
                  "remove target " + order.iqn(), () -> exports.unexport(order.iqn(), true));
              return new Exported(order.iqn().value(), file.path().toString());
            });
  }
}
