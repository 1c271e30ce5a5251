package io.incudal.agent.lun;

import io.incudal.agent.bus.AgentException;
import io.incudal.agent.bus.ErrorCode;
import io.incudal.agent.image.ImageFile;
import io.incudal.agent.image.ImageName;
import io.incudal.agent.image.ImageStore;
import io.incudal.agent.lun.LunMessages.Exported;
import io.incudal.agent.target.Backing;
import io.incudal.agent.target.Iqn;
import io.vertx.core.Future;
import java.util.Optional;

/** Exports an ISO image as a CD-ROM. Runs in the turns of the target and of the file. */
final class CdMounting {
  private final Exports exports;
  private final ImageStore images;
  private final Names names;

  CdMounting(Exports exports, ImageStore images, Names names) {
    this.exports = exports;
    this.images = images;
    this.names = names;
  }

  /** A CD that was asked for, in types. */
  record Order(ImageName iso, Iqn iqn) {}

  Order parse(Sent sent) {
    Optional<String> iqn = sent.text("iqn");
    ImageName iso = names.file(Names.required(sent, "iso"));
    if (!iso.isIso()) {
      throw new AgentException(ErrorCode.INVALID_FILENAME, "the file name has to end in .iso");
    }
    return new Order(iso, iqn.map(names::iqn).orElseGet(() -> named(iso)));
  }

  private Iqn named(ImageName iso) {
    return names
        .ofFileIfValid(iso)
        .orElseThrow(
            () ->
                new AgentException(
                    ErrorCode.INVALID_IQN,
                    "the name '" + iso + "' makes no valid iqn: pass 'iqn' as well"));
  }

  Future<Exported> mount(Order order, Operation operation) {
    return images
        .find(order.iso())
        .compose(found -> usable(order, found))
        .compose(file -> exports.refuseKnown(order.iqn()).map(file))
        .compose(file -> record(file, order, operation).map(file))
        .compose(file -> export(file, order, operation));
  }

  private static Future<ImageFile> usable(Order order, Optional<ImageFile> found) {
    // An empty file would become a blank disc, which the daemon lets everybody burn.
    return found.isPresent() && found.get().size() > 0
        ? Future.succeededFuture(found.get())
        : Future.failedFuture(
            new AgentException(
                ErrorCode.ISO_NOT_FOUND,
                (found.isPresent() ? "ISO image is empty: " : "ISO image not found: ")
                    + order.iso()));
  }

  /**
   * Once one IQN is recorded with a file, a scan exports it under those recorded only. So the
   * name's own has to be there too when it is in use beside others.
   */
  private Future<Void> record(ImageFile file, Order order, Operation operation) {
    Optional<Iqn> own = names.ofFileIfValid(file.name());
    boolean named = own.equals(Optional.of(order.iqn()));
    if (named && file.iqns().isEmpty()) {
      return Future.succeededFuture();
    }
    Future<Void> both =
        !named && file.iqns().isEmpty() && own.filter(exports::knows).isPresent()
            ? remember(file, own.get(), operation)
            : Future.succeededFuture();
    return both.compose(done -> remember(file, order.iqn(), operation));
  }

  private Future<Void> remember(ImageFile file, Iqn iqn, Operation operation) {
    if (file.iqns().contains(iqn.value())) {
      return Future.succeededFuture();
    }
    return images
        .recordIqn(file.name(), iqn.value())
        .onSuccess(
            done ->
                operation.onFailure(
                    "forget " + iqn + " of " + file.path(),
                    () -> images.forgetIqn(file.name(), iqn.value())));
  }

  private Future<Exported> export(ImageFile file, Order order, Operation operation) {
    return exports
        .export(order.iqn(), new Backing(file.path(), true))
        .map(
            done -> {
              operation.onFailure(
                  "remove target " + order.iqn(), () -> exports.unexport(order.iqn(), true));
              return new Exported(order.iqn().value(), file.path().toString());
            });
  }
}
