package io.incudal.agent.target.stgt;

import io.incudal.agent.bus.AgentException;
import io.incudal.agent.bus.ErrorCode;
import io.incudal.agent.exec.ToolResult;
import io.incudal.agent.target.stgt.TgtadmListing.Session;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Removes targets whole or not at all. The daemon's plain deletion refuses one that is in use, in
 * one step; so sessions are ended first when that is wanted.
 *
 * <p>Never {@code --force}: it pulls the disks from under their initiators before it looks at
 * anything else, gives up half-way while commands are in flight, and has brought daemons down.
 */
final class Removal {
  private static final Logger LOG = LoggerFactory.getLogger(Removal.class);

  /** A target stays active for a moment after its last session has ended. */
  private static final int TRIES = 6;

  /** Commands in flight have to end, and initiators in the middle of a login to be turned away. */
  private static final int TRIES_ENDING_SESSIONS = 60;

  private static final long PAUSE_MS = 50;

  private final Vertx vertx;
  private final Tgtadm tgtadm;
  private final DeleteQueue deletions;

  Removal(Vertx vertx, Tgtadm tgtadm) {
    this.vertx = vertx;
    this.tgtadm = tgtadm;
    this.deletions = new DeleteQueue(tgtadm);
  }

  /**
   * Removes a target that nobody uses; else fails with {@code TARGET_IN_USE}, and nothing changed.
   *
   * @return whether there was one
   */
  Future<Boolean> unlessUsed(int tid) {
    return unlessUsed(tid, TRIES);
  }

  /**
   * Removes a target, and ends the sessions that keep it.
   *
   * @return whether there was one
   */
  Future<Boolean> endingSessions(int tid) {
    return deletions
        .delete(tid)
        .compose(result -> Tgtadm.active(result) ? closeAndEnd(tid) : judge(result));
  }

  private Future<Boolean> unlessUsed(int tid, int tries) {
    return deletions
        .delete(tid)
        .compose(
            result ->
                Tgtadm.active(result)
                    ? tgtadm.sessions(tid).compose(sessions -> active(tid, sessions, tries - 1))
                    : judge(result));
  }

  private Future<Boolean> active(int tid, List<Session> sessions, int triesLeft) {
    if (!sessions.isEmpty()) {
      return Future.failedFuture(inUse(sessions));
    }
    return triesLeft > 0
        ? pause().compose(later -> unlessUsed(tid, triesLeft))
        : Future.failedFuture(stuck());
  }

  /** Lets nobody in any more, so that those who are cut off do not come back at once. */
  private Future<Boolean> closeAndEnd(int tid) {
    return tgtadm
        .unbindAll(tid)
        .compose(unbound -> ending(tid, TRIES_ENDING_SESSIONS))
        .recover(failure -> tgtadm.bindAll(tid).transform(open -> Future.failedFuture(failure)));
  }

  private Future<Boolean> ending(int tid, int tries) {
    return tgtadm
        .sessions(tid)
        .compose(sessions -> cut(tid, sessions))
        .compose(cut -> deletions.delete(tid))
        .compose(
            result -> {
              if (!Tgtadm.active(result)) {
                return judge(result);
              }
              return tries > 1
                  ? pause().compose(later -> ending(tid, tries - 1))
                  : Future.failedFuture(stuck());
            });
  }

  /** A connection that is gone already is no failure. */
  private Future<Void> cut(int tid, List<Session> sessions) {
    sessions.forEach(
        session -> LOG.info("session ended tid={} initiator={}", tid, session.initiator()));
    return Future.join(sessions.stream().map(s -> tgtadm.disconnect(tid, s)).toList()).mapEmpty();
  }

  private static Future<Boolean> judge(ToolResult result) {
    return result.ok() || Tgtadm.missing(result)
        ? Future.succeededFuture(result.ok())
        : Future.failedFuture(Tgtadm.failure(result));
  }

  private Future<Void> pause() {
    return vertx.timer(PAUSE_MS, TimeUnit.MILLISECONDS).mapEmpty();
  }

  private static AgentException inUse(List<Session> sessions) {
    List<String> initiators = sessions.stream().map(Session::initiator).distinct().toList();
    List<String> who =
        sessions.stream().map(s -> s.initiator() + " (" + s.address() + ")").distinct().toList();
    return new AgentException(
            ErrorCode.TARGET_IN_USE,
            "logged in: " + String.join(", ", who) + "; log out there, or delete with force=true")
        .with("initiators", initiators);
  }

  private static AgentException stuck() {
    return new AgentException(
        ErrorCode.COMMAND_FAILED,
        "tgtd holds the target as active though nobody is logged in; try again in a few seconds");
  }
}
