package io.incudal.agent.target.stgt;

import io.incudal.agent.bus.AgentException;
import io.incudal.agent.bus.ErrorCode;
import io.incudal.agent.target.SharedRun;
import io.incudal.agent.target.Target;
import io.incudal.agent.target.stgt.TgtadmListing.Shown;
import io.vertx.core.Future;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The daemon's targets, as far as they can be believed: shared by those who wait, "nothing" asked
 * for again, never of another daemon than the one that was opened, and cleared of the targets whose
 * creation was cut off.
 *
 * <p>Touched on one context only; never blocks.
 */
final class Listings {
  private static final Logger LOG = LoggerFactory.getLogger(Listings.class);

  /** For a look at the state after a command was cut off, whose caller has waited long enough. */
  private static final Duration SHORT = Duration.ofSeconds(3);

  private final Tgtadm tgtadm;
  private final TidTable tids;
  private final Doubts doubts;
  private final SharedRun<List<Target>> shared = new SharedRun<>(this::run);
  private boolean opened;
  private Optional<String> identity = Optional.empty();

  Listings(Tgtadm tgtadm, TidTable tids, Doubts doubts) {
    this.tgtadm = tgtadm;
    this.tids = tids;
    this.doubts = doubts;
  }

  /** The targets at or after this moment. */
  Future<List<Target>> join() {
    return shared.join();
  }

  /**
   * Takes the daemon that answers now for the right one.
   *
   * @return what it has; empty when it is the one that was opened before
   */
  Future<Optional<List<Shown>>> open() {
    return tids.changes()
        .during(changed -> reliable(tgtadm.show()).map(seen -> adopt(seen, changed)));
  }

  /** Whether the daemon answers and still is the one that was opened. */
  Future<Boolean> same() {
    return tgtadm
        .identity()
        .compose(
            now -> {
              if (!opened || !now.equals(identity)) {
                return Future.succeededFuture(false);
              }
              // Without an identity, a target that should be there has to do.
              return now.isEmpty() && tids.any().isPresent()
                  ? tgtadm.has(tids.any().getAsInt())
                  : Future.succeededFuture(true);
            });
  }

  /** A quick look, not shared, after a command whose outcome is unknown. */
  Future<Snapshot> look() {
    List<Doubts.Doubt> before = doubts.all();
    return tgtadm
        .show(SHORT)
        .compose(seen -> sameDaemon(seen))
        .compose(seen -> doubts.settle(before, seen).map(seen))
        .timeout(2 * SHORT.toMillis(), TimeUnit.MILLISECONDS);
  }

  /** Looks after a command that was cut off, and fails with what is to be said of it. */
  <T> Future<T> explain(Throwable cutOff) {
    return look().transform(looked -> Future.failedFuture(reason(looked.cause(), cutOff)));
  }

  /** Why a command took too long, when the look after it could tell; else that it did. */
  static Throwable reason(Throwable lookFailed, Throwable cutOff) {
    return isUnavailable(lookFailed) ? lookFailed : cutOff;
  }

  private static boolean isTimeout(Throwable failure) {
    return failure instanceof AgentException known && known.code() == ErrorCode.COMMAND_TIMEOUT;
  }

  private static boolean isUnavailable(Throwable failure) {
    return failure instanceof AgentException known
        && (known.code() == ErrorCode.DOCKER_UNAVAILABLE
            || known.code() == ErrorCode.CONTAINER_UNAVAILABLE);
  }

  private Optional<List<Shown>> adopt(Snapshot seen, Set<String> changed) {
    boolean known = opened && seen.identity().isPresent() && identity.isPresent();
    boolean same = known && seen.identity().equals(identity);
    if (known && !same) {
      doubts.forget();
    }
    if (!same) {
      LOG.info("target daemon opened targets={}", seen.targets().size());
    }
    opened = true;
    identity = seen.identity();
    tids.refresh(seen.targets(), changed);
    return same ? Optional.empty() : Optional.of(seen.targets());
  }

  private Future<List<Target>> run() {
    return tids.changes().during(this::list);
  }

  private Future<List<Target>> list(Set<String> changed) {
    List<Doubts.Doubt> before = doubts.all();
    return reliable(tgtadm.show())
        .compose(this::sameDaemon)
        .compose(this::believed)
        .compose(seen -> settled(before, seen))
        .map(
            seen -> {
              tids.refresh(seen.targets(), changed);
              return seen.targets().stream().map(Shown::target).toList();
            })
        .recover(failure -> isTimeout(failure) ? explain(failure) : Future.failedFuture(failure));
  }

  private Future<Snapshot> settled(List<Doubts.Doubt> before, Snapshot seen) {
    return doubts
        .settle(before, seen)
        .compose(removed -> removed ? tgtadm.show() : Future.succeededFuture(seen));
  }

  /** A command now and then ends well and its output is lost; the second time it is a failure. */
  private Future<Snapshot> reliable(Future<Snapshot> first) {
    return first.compose(seen -> seen.lost() ? tgtadm.show() : first).compose(Listings::arrived);
  }

  private static Future<Snapshot> arrived(Snapshot seen) {
    return seen.lost()
        ? Future.failedFuture(
            new AgentException(
                ErrorCode.COMMAND_FAILED, "tgtadm ended well but its output did not arrive"))
        : Future.succeededFuture(seen);
  }

  private Future<Snapshot> believed(Snapshot seen) {
    if (!seen.targets().isEmpty() || tids.isEmpty()) {
      return Future.succeededFuture(seen);
    }
    LOG.warn("empty listing of a daemon that had targets, asked again");
    return reliable(tgtadm.show())
        .compose(this::sameDaemon)
        .compose(
            again ->
                again.targets().isEmpty() && again.identity().isEmpty()
                    ? lost()
                    : Future.succeededFuture(again));
  }

  private Future<Snapshot> sameDaemon(Snapshot seen) {
    return opened && seen.identity().equals(identity) ? Future.succeededFuture(seen) : lost();
  }

  private static Future<Snapshot> lost() {
    return Future.failedFuture(
        new AgentException(
            ErrorCode.RECOVERING,
            "the target daemon was started anew, and its targets are being restored; try again in"
                + " a few seconds"));
  }
}
