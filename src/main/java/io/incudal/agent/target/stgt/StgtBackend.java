package io.incudal.agent.target.stgt;

import io.incudal.agent.bus.AgentException;
import io.incudal.agent.bus.ErrorCode;
import io.incudal.agent.config.BackendConfig;
import io.incudal.agent.exec.ToolResult;
import io.incudal.agent.exec.ToolRunner;
import io.incudal.agent.target.Backing;
import io.incudal.agent.target.Iqn;
import io.incudal.agent.target.Target;
import io.incudal.agent.target.TargetBackend;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * stgt: one {@code tgtd}, which keeps its targets in memory only, reached through {@code tgtadm}.
 *
 * <p>Runs on the worker verticle's context and never blocks. A tid is only ever a handle, looked up
 * by name right before its use.
 */
public final class StgtBackend implements TargetBackend {
  private static final Logger LOG = LoggerFactory.getLogger(StgtBackend.class);

  /** How often a tid is chosen anew when others make targets at the same time. */
  private static final int CREATE_TRIES = 5;

  /** How often a target is looked up anew when others renumber it at the same time. */
  private static final int DELETE_TRIES = 3;

  private final ToolRunner tools;
  private final Tgtadm tgtadm;
  private final TidTable tids = new TidTable();
  private final Removal removal;
  private final Doubts doubts;
  private final Listings listings;
  private final Unfinished unfinished;

  /**
   * @param tools closed with this back end
   * @param iqnBase lower-cased, without a trailing colon
   */
  public StgtBackend(Vertx vertx, ToolRunner tools, BackendConfig config, String iqnBase) {
    this.tools = tools;
    this.tgtadm = new Tgtadm(tools, config.commandTimeout(), config.tgtControlPort());
    this.removal = new Removal(vertx, tgtadm);
    this.doubts = new Doubts(removal, tids);
    this.listings = new Listings(tgtadm, tids, doubts);
    this.unfinished = new Unfinished(tgtadm, tids, iqnBase);
  }

  @Override
  public Future<List<Target>> list() {
    return listings.join();
  }

  @Override
  public boolean knows(Iqn iqn) {
    return tids.find(iqn).isPresent();
  }

  @Override
  public Optional<String> refusal(String fileName) {
    // tgtadm joins its parameters with commas, and has no way to quote one.
    return fileName.indexOf(',') < 0
        ? Optional.empty()
        : Optional.of("holds ',', which tgtadm cannot carry");
  }

  @Override
  public Future<Void> export(Iqn iqn, Backing backing) {
    Future<?> clear = doubts.about(iqn) ? listings.join() : Future.succeededFuture();
    return clear.compose(ready -> create(iqn, backing, CREATE_TRIES));
  }

  private Future<Void> create(Iqn iqn, Backing backing, int tries) {
    int tid = tids.reserve();
    return tgtadm
        .create(tid, iqn, backing)
        .compose(result -> created(iqn, tid, result), cutOff -> undoUnknown(iqn, tid, cutOff))
        .eventually(() -> released(tid))
        .compose(done -> done ? Future.succeededFuture() : refused(iqn, backing, tries - 1));
  }

  /** {@code false} when the daemon has this tid or name already. */
  private Future<Boolean> created(Iqn iqn, int tid, ToolResult result) {
    if (result.ok()) {
      tids.add(iqn, tid);
      return Future.succeededFuture(true);
    }
    if (result.step() == 0) {
      return Tgtadm.exists(result)
          ? Future.succeededFuture(false)
          : Future.failedFuture(Tgtadm.failure(result));
    }
    doubts.add(iqn, tid);
    return doubts
        .remove(new Doubts.Doubt(iqn, tid))
        .onFailure(undo -> LOG.warn("unfinished target left iqn={} tid={}", iqn, tid, undo))
        .transform(undone -> Future.failedFuture(Tgtadm.failure(result)));
  }

  private Future<Boolean> undoUnknown(Iqn iqn, int tid, Throwable cutOff) {
    doubts.add(iqn, tid);
    return listings.explain(cutOff);
  }

  private Future<Void> released(int tid) {
    tids.release(tid);
    return Future.succeededFuture();
  }

  /** tgtadm has one text for a duplicate name and a duplicate tid: only a listing tells. */
  private Future<Void> refused(Iqn iqn, Backing backing, int tries) {
    return listings
        .join()
        .compose(
            targets -> {
              if (knows(iqn)) {
                return Future.failedFuture(
                    new AgentException(ErrorCode.TARGET_EXISTS, "target already exists: " + iqn));
              }
              return tries > 0
                  ? create(iqn, backing, tries)
                  : Future.failedFuture(
                      new AgentException(
                          ErrorCode.COMMAND_FAILED,
                          "no free target number found: does another program make targets?"));
            });
  }

  @Override
  public Future<Void> unexport(Iqn iqn, boolean endSessions) {
    return unexport(iqn, endSessions, DELETE_TRIES);
  }

  private Future<Void> unexport(Iqn iqn, boolean endSessions, int tries) {
    return located(iqn)
        .compose(
            tid ->
                remove(iqn, tid, endSessions)
                    .compose(
                        removed ->
                            removed || tries <= 1
                                ? Future.succeededFuture()
                                : unexport(iqn, endSessions, tries - 1)));
  }

  /** {@code false} when another program made it anew under another number, or removed it. */
  private Future<Boolean> remove(Iqn iqn, int tid, boolean endSessions) {
    Future<Boolean> removed = endSessions ? removal.endingSessions(tid) : removal.unlessUsed(tid);
    return removed
        .onSuccess(done -> tids.remove(iqn))
        .recover(failure -> isCutOff(failure) ? goneAnyway(iqn, tid, failure) : removed);
  }

  private Future<Integer> located(Iqn iqn) {
    OptionalInt known = tids.find(iqn);
    return known.isPresent()
        ? Future.succeededFuture(known.getAsInt())
        : listings.join().compose(targets -> tidOf(iqn));
  }

  private Future<Integer> tidOf(Iqn iqn) {
    OptionalInt known = tids.find(iqn);
    return known.isPresent()
        ? Future.succeededFuture(known.getAsInt())
        : Future.failedFuture(
            new AgentException(ErrorCode.TARGET_NOT_FOUND, "target not found: " + iqn));
  }

  private static boolean isCutOff(Throwable failure) {
    return !(failure instanceof AgentException known)
        || known.code() == ErrorCode.COMMAND_TIMEOUT
        || known.code() == ErrorCode.DOCKER_UNAVAILABLE
        || known.code() == ErrorCode.CONTAINER_UNAVAILABLE;
  }

  private Future<Boolean> goneAnyway(Iqn iqn, int tid, Throwable cutOff) {
    return listings
        .look()
        .transform(
            looked -> {
              if (looked.failed()
                  || looked.result().targets().stream().anyMatch(shown -> shown.tid() == tid)) {
                return Future.failedFuture(Listings.reason(looked.cause(), cutOff));
              }
              tids.remove(iqn);
              return Future.succeededFuture(true);
            });
  }

  @Override
  public Future<Opened> open() {
    return listings
        .open()
        .compose(
            found ->
                found.isEmpty()
                    ? Future.succeededFuture(new Opened(false))
                    : unfinished.finish(found.get()).map(done -> new Opened(true)));
  }

  @Override
  public Future<Boolean> alive() {
    return listings
        .same()
        .compose(
            same ->
                same && doubts.any() ? listings.join().map(true) : Future.succeededFuture(same));
  }

  @Override
  public Future<Void> close() {
    return tools.close();
  }
}
