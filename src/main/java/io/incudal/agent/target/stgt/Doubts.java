package io.incudal.agent.target.stgt;

import io.incudal.agent.target.Iqn;
import io.vertx.core.Future;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Targets whose creation was cut off by a deadline or a broken way, so that nobody knows whether
 * they came to be. Their callers were told that it failed, and their files are gone: as soon as the
 * daemon can be asked again, such a target is removed.
 *
 * <p>Touched on one context only; never blocks.
 */
final class Doubts {
  private static final Logger LOG = LoggerFactory.getLogger(Doubts.class);

  private final Removal removal;
  private final TidTable tids;
  private final Map<Iqn, Doubt> doubts = new LinkedHashMap<>();

  Doubts(Removal removal, TidTable tids) {
    this.removal = removal;
    this.tids = tids;
  }

  /** A target of this tid and name may be there, and must not. */
  record Doubt(Iqn iqn, int tid) {
    private boolean isIn(Snapshot seen) {
      return seen.targets().stream()
          .anyMatch(shown -> shown.tid() == tid && shown.target().iqn().equals(iqn.value()));
    }
  }

  void add(Iqn iqn, int tid) {
    doubts.put(iqn, new Doubt(iqn, tid));
    tids.remove(iqn);
  }

  boolean any() {
    return !doubts.isEmpty();
  }

  boolean about(Iqn iqn) {
    return doubts.containsKey(iqn);
  }

  List<Doubt> all() {
    return List.copyOf(doubts.values());
  }

  /** The daemon that they were about is gone, and its targets with it. */
  void forget() {
    doubts.clear();
  }

  /**
   * Removes what should not be there.
   *
   * @param before the doubts there were when the listing began; it knows nothing of later ones
   * @return whether the listing is outdated now
   */
  Future<Boolean> settle(List<Doubt> before, Snapshot seen) {
    List<Future<Void>> removals = new ArrayList<>();
    for (Doubt doubt : before) {
      if (doubt.isIn(seen)) {
        removals.add(remove(doubt));
      } else {
        doubts.remove(doubt.iqn(), doubt);
      }
    }
    return Future.all(removals).map(done -> !removals.isEmpty());
  }

  /** Removes a target that the agent made and must not leave behind. */
  Future<Void> remove(Doubt doubt) {
    return removal
        .endingSessions(doubt.tid())
        .onSuccess(
            gone -> {
              doubts.remove(doubt.iqn(), doubt);
              LOG.info("unfinished target removed iqn={} tid={}", doubt.iqn(), doubt.tid());
            })
        .mapEmpty();
  }
}
