package io.incudal.agent.target.lio;

import io.incudal.agent.target.Iqn;
import io.incudal.agent.target.RecentChanges;
import io.incudal.agent.target.Target;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * The names that the kernel is believed to have: from the last listing, and what the agent did
 * since. Touched on one context only. Names are kept lower-cased.
 */
final class KnownTargets {
  private final Set<String> names = new HashSet<>();
  private final RecentChanges changes = new RecentChanges();

  void add(Iqn iqn) {
    names.add(iqn.value());
    changes.note(iqn);
  }

  void remove(Iqn iqn) {
    names.remove(iqn.value());
    changes.note(iqn);
  }

  /** Another kernel has other targets. */
  void clear() {
    names.clear();
  }

  boolean has(Iqn iqn) {
    return names.contains(iqn.value());
  }

  boolean isEmpty() {
    return names.isEmpty();
  }

  /** What the agent changes while a listing is on its way. */
  RecentChanges changes() {
    return changes;
  }

  /** Takes over a listing, but for what the agent changed since it began. */
  void refresh(List<Target> listed, Set<String> changed) {
    names.retainAll(changed);
    for (Target target : listed) {
      String name = Iqn.lowerCaseAscii(target.iqn());
      if (!changed.contains(name)) {
        names.add(name);
      }
    }
  }
}
