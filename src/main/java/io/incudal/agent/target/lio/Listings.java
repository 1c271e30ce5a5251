package io.incudal.agent.target.lio;

import io.incudal.agent.bus.AgentException;
import io.incudal.agent.bus.ErrorCode;
import io.incudal.agent.target.SharedRun;
import io.incudal.agent.target.Target;
import io.vertx.core.Future;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The kernel's targets, as far as they can be believed: shared by those who wait, asked for again
 * when the list is not whole or empty, never of another kernel than the one that was opened, and
 * cleared of the targets whose creation was cut off.
 *
 * <p>Touched on one context only; never blocks.
 */
final class Listings {
  private static final Logger LOG = LoggerFactory.getLogger(Listings.class);

  private final Lio lio;
  private final Doubts doubts;
  private final KnownTargets known;
  private final SharedRun<List<Target>> shared = new SharedRun<>(this::run);

  Listings(Lio lio, Doubts doubts, KnownTargets known) {
    this.lio = lio;
    this.doubts = doubts;
    this.known = known;
  }

  /** The targets at or after this moment. */
  Future<List<Target>> join() {
    return shared.join();
  }

  private Future<List<Target>> run() {
    return known.changes().during(this::list);
  }

  private Future<List<Target>> list(Set<String> changed) {
    return doubts
        .settleAll()
        .compose(settled -> lio.list())
        .compose(first -> isBelieved(first) ? whole(first) : again())
        .compose(this::sameKernel)
        .map(
            found -> {
              known.refresh(found.targets(), changed);
              return found.targets();
            });
  }

  /** "Nothing" is believed of a kernel that has nothing, or that is another one. */
  private boolean isBelieved(Optional<LioListing> found) {
    return found.isPresent()
        && (!found.get().targets().isEmpty()
            || known.isEmpty()
            || !lio.isExpected(found.get().boot()));
  }

  private Future<LioListing> again() {
    LOG.warn("listing empty or not whole, asked again");
    return lio.list().compose(Listings::whole);
  }

  private static Future<LioListing> whole(Optional<LioListing> found) {
    return found
        .map(Future::succeededFuture)
        .orElseGet(
            () ->
                Future.failedFuture(
                    new AgentException(
                        ErrorCode.COMMAND_FAILED, "the list of targets did not arrive whole")));
  }

  private Future<LioListing> sameKernel(LioListing found) {
    return lio.isExpected(found.boot())
        ? Future.succeededFuture(found)
        : Future.failedFuture(Lio.recovering());
  }
}
