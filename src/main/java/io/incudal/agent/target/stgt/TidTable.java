package io.incudal.agent.target.stgt;

import io.incudal.agent.target.Iqn;
import io.incudal.agent.target.RecentChanges;
import io.incudal.agent.target.Target;
import io.incudal.agent.target.stgt.TgtadmListing.Shown;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.Set;

/**
 * What is known of the daemon's targets without asking it: from the last listing, and what the
 * agent did since. Only the fast path: the daemon's own refusal is the authority.
 *
 * <p>Touched on one context only. Names are kept lower-cased.
 */
final class TidTable {
  /** Beyond this the SCSI ids that tgtd derives from a tid change their form. */
  private static final int MAX_TID = 0xffff;

  private final Map<String, Integer> tids = new HashMap<>();
  private final Set<Integer> foreign = new HashSet<>();
  private final Set<Integer> reserved = new HashSet<>();
  private final RecentChanges changes = new RecentChanges();
  private int last;

  /**
   * A tid that nobody has, kept from others until {@link #release}. Counts on rather than to take
   * the lowest free one, so that an initiator never finds another disk under a number it remembers.
   */
  int reserve() {
    int tid = last;
    do {
      tid = tid >= MAX_TID ? 1 : tid + 1;
    } while (isUsed(tid));
    last = tid;
    reserved.add(tid);
    return tid;
  }

  void release(int tid) {
    reserved.remove(tid);
  }

  boolean isReserved(int tid) {
    return reserved.contains(tid);
  }

  void add(Iqn iqn, int tid) {
    tids.put(iqn.value(), tid);
    changes.note(iqn);
  }

  void remove(Iqn iqn) {
    tids.remove(iqn.value());
    changes.note(iqn);
  }

  OptionalInt find(Iqn iqn) {
    Integer tid = tids.get(iqn.value());
    return tid == null ? OptionalInt.empty() : OptionalInt.of(tid);
  }

  boolean isEmpty() {
    return tids.isEmpty();
  }

  /** Any tid that the daemon is believed to have. */
  OptionalInt any() {
    return tids.values().stream().mapToInt(tid -> tid).findAny();
  }

  /** What the agent changes while a listing is on its way. */
  RecentChanges changes() {
    return changes;
  }

  /** Takes over a listing, but for what the agent changed since it began. */
  void refresh(List<Shown> listed, Set<String> changed) {
    tids.keySet().retainAll(changed);
    foreign.clear();
    for (Shown shown : listed) {
      Target target = shown.target();
      String name = Iqn.lowerCaseAscii(target.iqn());
      if (changed.contains(name)) {
        continue;
      }
      Integer other = tids.put(name, shown.tid());
      if (other != null) {
        // Two names that differ only in case, made by others: both tids are taken.
        foreign.add(other);
      }
      last = Math.max(last, Math.min(shown.tid(), MAX_TID));
    }
  }

  private boolean isUsed(int tid) {
    return reserved.contains(tid) || foreign.contains(tid) || tids.containsValue(tid);
  }
}
