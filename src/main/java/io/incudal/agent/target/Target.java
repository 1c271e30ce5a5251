package io.incudal.agent.target;

import java.util.List;
import java.util.OptionalInt;

/**
 * A target as its daemon shows it.
 *
 * @param tid the daemon's number for it; empty with LIO
 * @param iqn as the daemon spells it, which for targets made by others may be in any case
 */
public record Target(OptionalInt tid, String iqn, List<Lun> luns) {
  public Target {
    luns = List.copyOf(luns);
  }
}
