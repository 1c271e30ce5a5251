package io.incudal.agent.lun;

import io.incudal.agent.lun.LunMessages.LunView;
import io.incudal.agent.lun.LunMessages.TargetList;
import io.incudal.agent.lun.LunMessages.TargetView;
import io.incudal.agent.target.Lun;
import io.incudal.agent.target.Target;
import java.util.List;

/** Turns a back end's listing into what goes over the bus, once for all who share it. */
final class TargetViews {
  private List<Target> last = List.of();
  private TargetList view = new TargetList(List.of());

  /** The same instance for the same listing. */
  TargetList of(List<Target> listing) {
    if (listing != last) {
      view = new TargetList(listing.stream().map(TargetViews::target).toList());
      last = listing;
    }
    return view;
  }

  private static TargetView target(Target target) {
    return new TargetView(
        target.tid(), target.iqn(), target.luns().stream().map(TargetViews::lun).toList());
  }

  private static LunView lun(Lun lun) {
    return new LunView(lun.number(), lun.backing());
  }
}
