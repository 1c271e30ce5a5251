package io.incudal.agent.target.lio;

import io.incudal.agent.target.Target;
import io.incudal.agent.target.lio.Restored.Idle;
import io.incudal.agent.target.lio.SavedConfig.Change;
import io.vertx.core.Future;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What an agent leaves that is killed in the middle of its work: a target of its base without a
 * LUN, or with one that is not saved or that nobody may log in to, and backstores of its images
 * that nothing uses. The first and the last are removed, the others are put in order.
 *
 * <p>Only when the kernel is opened, and never what is in work.
 */
final class LeftBehind {
  private static final Logger LOG = LoggerFactory.getLogger(LeftBehind.class);

  /** No target can have this name. */
  private static final String NO_TARGET = "-";

  private final Lio lio;
  private final SavedConfig saved;
  private final String prefix;
  private final Path images;

  LeftBehind(Lio lio, SavedConfig saved, String iqnBase, Path images) {
    this.lio = lio;
    this.saved = saved;
    this.prefix = iqnBase + ":";
    this.images = images;
  }

  /** Never fails: what cannot be put in order now is, at the next opening. */
  Future<Void> tidy(Restored found, List<Target> targets, Set<String> inWork) {
    Predicate<String> mine = iqn -> iqn.startsWith(prefix) && !inWork.contains(iqn);
    List<Future<?>> repairs = new ArrayList<>();
    targets.stream()
        .filter(target -> mine.test(target.iqn()) && target.luns().isEmpty())
        .forEach(target -> repairs.add(remove(target.iqn())));
    found.closed().stream().filter(mine).forEach(iqn -> repairs.add(admit(iqn)));
    if (inWork.isEmpty()) {
      repairs.add(dropIdle(found.idle()));
    }
    List<Change> unsaved =
        targets.stream()
            .filter(target -> mine.test(target.iqn()) && !target.luns().isEmpty())
            .filter(target -> found.unsaved().contains(target.iqn()))
            .map(target -> new Change(target.iqn(), true))
            .toList();
    return Future.join(repairs).otherwiseEmpty().compose(done -> save(unsaved));
  }

  private Future<?> remove(String iqn) {
    LOG.warn("unfinished target found, removed iqn={}", iqn);
    return reported(
        iqn, lio.remove(iqn, List.of(iqn.substring(prefix.length()))).compose(Lio::accepted));
  }

  private Future<?> admit(String iqn) {
    LOG.warn("closed target found, opened iqn={}", iqn);
    return reported(iqn, lio.admit(iqn, List.of()));
  }

  private Future<?> dropIdle(List<Idle> idle) {
    List<String> names =
        idle.stream()
            .filter(backstore -> images.equals(Path.of(backstore.image()).getParent()))
            .map(Idle::name)
            .toList();
    if (names.isEmpty()) {
      return Future.succeededFuture();
    }
    LOG.warn("unused backstores found, removed names={}", names);
    return reported("none", lio.remove(NO_TARGET, names).compose(Lio::accepted));
  }

  private Future<Void> save(List<Change> unsaved) {
    if (unsaved.isEmpty()) {
      return Future.succeededFuture();
    }
    LOG.warn("unsaved targets found, saved iqns={}", unsaved.stream().map(Change::iqn).toList());
    return reported("all", saved.write(unsaved)).mapEmpty();
  }

  private static <T> Future<T> reported(String iqn, Future<T> repair) {
    return repair
        .onFailure(failure -> LOG.warn("could not put in order iqn={}", iqn, failure))
        .otherwiseEmpty();
  }
}
