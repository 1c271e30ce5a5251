package io.incudal.agent.lun;

import io.incudal.agent.bus.AgentException;
import io.incudal.agent.bus.AgentMessage;
import io.incudal.agent.bus.ErrorCode;
import io.incudal.agent.config.BackendConfig.Kind;
import io.incudal.agent.config.NodeConfig;
import io.incudal.agent.image.ImageFileSystem;
import io.incudal.agent.image.ImageStore;
import io.incudal.agent.lun.LunMessages.BackendChecked;
import io.incudal.agent.lun.LunMessages.BackendOpened;
import io.incudal.agent.lun.LunMessages.Capabilities;
import io.incudal.agent.lun.LunMessages.TargetList;
import io.incudal.agent.target.TargetBackend;
import io.vertx.core.Future;

/**
 * What can be asked of the back end, and the keeping of it open. Runs on the worker verticle's
 * context and never blocks.
 */
final class LunQueries {
  private final NodeConfig config;
  private final TargetBackend backend;
  private final Exports exports;
  private final Recovery recovery;
  private final TargetViews views = new TargetViews();

  LunQueries(NodeConfig config, TargetBackend backend, Exports exports, Recovery recovery) {
    this.config = config;
    this.backend = backend;
    this.exports = exports;
    this.recovery = recovery;
  }

  /**
   * Waits until the targets are back. A daemon that turns out to be a new one only now is waited
   * for once.
   */
  Future<TargetList> list() {
    return recovery
        .admission()
        .compose(back -> exports.list())
        .recover(
            failure ->
                isRecovering(failure)
                    ? recovery.admission().compose(back -> exports.list())
                    : Future.failedFuture(failure))
        .map(views::of);
  }

  Future<Capabilities> capabilities(ImageStore images) {
    return images.fileSystem().map(this::capabilities);
  }

  private Capabilities capabilities(ImageFileSystem fileSystem) {
    boolean stgt = config.backend().kind() == Kind.STGT;
    return new Capabilities(
        stgt ? "stgt" : "lio",
        stgt,
        stgt ? "auto-scan on startup" : "saveconfig (auto-load on start)",
        config.iqnBase(),
        fileSystem.type(),
        fileSystem.cloneMode(),
        "truncate (sparse)");
  }

  Future<BackendOpened> open(MountCheck mounts) {
    recovery.opening();
    return backend
        .open()
        .compose(
            opened -> mounts.run().map(warning -> recovery.opened(opened.needsScan(), warning)))
        .compose(
            needsScan ->
                needsScan ? Future.succeededFuture(true) : exports.list().map(counted -> false))
        .map(BackendOpened::new)
        .onFailure(failure -> recovery.unavailable(known(failure)));
  }

  Future<BackendChecked> check() {
    return backend
        .alive()
        .onSuccess(
            same -> {
              if (same) {
                recovery.answers();
              } else {
                recovery.lost();
              }
            })
        .onFailure(failure -> recovery.unavailable(known(failure)))
        .map(BackendChecked::new);
  }

  Future<? extends AgentMessage> view() {
    return Future.succeededFuture(recovery.view());
  }

  private static boolean isRecovering(Throwable failure) {
    return failure instanceof AgentException known && known.code() == ErrorCode.RECOVERING;
  }

  private static AgentException known(Throwable failure) {
    return failure instanceof AgentException known
        ? known
        : new AgentException(
            ErrorCode.INTERNAL, "the back end could not be opened; see the agent's log", failure);
  }
}
