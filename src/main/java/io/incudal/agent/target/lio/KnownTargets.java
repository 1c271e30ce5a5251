package io.incudal.agent.target.lio;

import io.incudal.agent.target.Iqn;
import io.incudal.agent.target.Target;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * The names that the kernel is believed to have: from the last listing, and what the agent did
 * since. Touched on one context only. Names are kept lower-cased.
 */
final class KnownTargets {
  private final Set<String> names = new HashSet<>();
  private final List<Set<String>> watches = new ArrayList<>();

  void add(Iqn iqn) {
    names.add(iqn.value());
    watches.forEach(changed -> changed.add(iqn.value()));
  }

  void remove(Iqn iqn) {
    names.remove(iqn.value());
    watches.forEach(changed -> changed.add(iqn.value()));
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

  /**
   * The names that change from now on, to be had before a listing begins: it cannot know of them.
   */
  Set<String> watch() {
    Set<String> changed = new HashSet<>();
    watches.add(changed);
    return changed;
  }

  void unwatch(Set<String> changed) {
    watches.removeIf(watch -> watch == changed);
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
