package io.incudal.agent.lun;

import io.incudal.agent.bus.AgentException;
import io.incudal.agent.bus.ErrorCode;
import io.incudal.agent.image.ImageFile;
import io.incudal.agent.image.ImageName;
import io.incudal.agent.image.ImageStore;
import io.incudal.agent.lun.LunMessages.Deleted;
import io.incudal.agent.target.Backing;
import io.incudal.agent.target.Iqn;
import io.incudal.agent.target.Lun;
import io.incudal.agent.target.Target;
import io.vertx.core.Future;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/**
 * Removes a target and, when told, its backing files: everything that forbids it is looked at
 * first, then the target goes, then the files. Runs in the turns of the target and of the files
 * that {@link Subject} names.
 */
final class TargetDeletion {
  private final Exports exports;
  private final ImageStore images;

  TargetDeletion(Exports exports, ImageStore images) {
    this.exports = exports;
    this.images = images;
  }

  Future<Deleted> delete(DeleteOrder order, Subject subject, Operation operation) {
    return subject.target().isPresent()
        ? deleteTarget(order, subject, operation)
        : deleteLeftOver(order, subject);
  }

  private Future<Deleted> deleteTarget(DeleteOrder order, Subject subject, Operation operation) {
    if (!order.deleteFile()) {
      return unexport(order, subject, operation);
    }
    subject.refuseProtected(order.force());
    return refuseLinks(subject.files()).compose(clear -> unexport(order, subject, operation));
  }

  private Future<Deleted> unexport(DeleteOrder order, Subject subject, Operation operation) {
    Target target = subject.target().orElseThrow();
    return exports
        .unexport(order.iqn(), order.endSessions())
        .onSuccess(
            gone -> {
              if (!order.deleteFile()) {
                restorable(target)
                    .ifPresent(
                        backing ->
                            operation.onFailure(
                                "export " + order.iqn() + " again",
                                () -> exports.export(order.iqn(), backing)));
              }
            })
        .compose(
            gone ->
                order.deleteFile()
                    ? removeAll(subject.files())
                    : forget(order.iqn(), subject.files(), operation))
        .map(done -> deleted(order));
  }

  /** The target is gone already, its file is not. */
  private Future<Deleted> deleteLeftOver(DeleteOrder order, Subject subject) {
    AgentException missing =
        new AgentException(ErrorCode.TARGET_NOT_FOUND, "target not found: " + order.iqn());
    if (subject.leftOver().isEmpty()) {
      return Future.failedFuture(missing);
    }
    ImageFile file = subject.leftOver().get();
    if (!order.deleteFile() || !order.force()) {
      return Future.failedFuture(missing.with("backing", file.path().toString()));
    }
    subject.refuseProtected(true);
    return images.remove(file.name()).map(done -> deleted(order));
  }

  private static Deleted deleted(DeleteOrder order) {
    return new Deleted(order.iqn().value(), order.deleteFile());
  }

  /** What has to be exported to make a target again; empty for one of several disks. */
  private static Optional<Backing> restorable(Target target) {
    List<String> paths =
        target.luns().stream().map(Lun::backing).flatMap(Optional::stream).toList();
    return paths.size() == 1
        ? Optional.of(new Backing(Path.of(paths.get(0)), new ImageName(paths.get(0)).isIso()))
        : Optional.empty();
  }

  /** What is no regular file was put there by hand, and is for a hand to remove. */
  private Future<Void> refuseLinks(List<ImageName> files) {
    if (files.isEmpty()) {
      return Future.succeededFuture();
    }
    ImageName file = files.get(0);
    return images
        .find(file)
        .compose(
            regular ->
                regular.isPresent()
                    ? Future.succeededFuture(Optional.<ImageName>empty())
                    : images.findSameFolded(file))
        .compose(
            other ->
                other.equals(Optional.of(file))
                    ? Future.failedFuture(
                        new AgentException(
                            ErrorCode.BACKING_PROTECTED, "'" + file + "' is no regular file"))
                    : refuseLinks(files.subList(1, files.size())));
  }

  private Future<Void> removeAll(List<ImageName> files) {
    return files.isEmpty()
        ? Future.succeededFuture()
        : images.remove(files.get(0)).compose(removed -> removeAll(files.subList(1, files.size())));
  }

  /** A CD's own IQN goes with its target; a disk keeps the one it was made with. */
  private Future<Void> forget(Iqn iqn, List<ImageName> files, Operation operation) {
    List<ImageName> isos = files.stream().filter(ImageName::isIso).toList();
    return isos.isEmpty()
        ? Future.succeededFuture()
        : images
            .find(isos.get(0))
            .compose(
                found -> {
                  if (found.isEmpty() || !found.get().iqns().contains(iqn.value())) {
                    return Future.succeededFuture();
                  }
                  ImageName iso = isos.get(0);
                  operation.onFailure(
                      "record " + iqn + " with " + iso, () -> images.recordIqn(iso, iqn.value()));
                  return images.forgetIqn(iso, iqn.value());
                })
            .compose(done -> forget(iqn, isos.subList(1, isos.size()), operation));
  }
}
