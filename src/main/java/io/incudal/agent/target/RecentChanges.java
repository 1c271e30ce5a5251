package io.incudal.agent.target;

import io.vertx.core.Future;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Function;

/**
 * The names that the agent changes while a listing is on its way, which cannot know of them.
 * Touched on one context only.
 */
public final class RecentChanges {
  private final List<Set<String>> watches = new ArrayList<>();

  public void note(Iqn iqn) {
    watches.forEach(changed -> changed.add(iqn.value()));
  }

  /**
   * Runs a listing.
   *
   * @param listing gets the set of the names that change from now on; it grows until the end
   */
  public <T> Future<T> during(Function<Set<String>, Future<T>> listing) {
    Set<String> changed = new HashSet<>();
    watches.add(changed);
    // By identity: two listings may have seen the same changes.
    return listing.apply(changed).onComplete(done -> watches.removeIf(own -> own == changed));
  }
}
