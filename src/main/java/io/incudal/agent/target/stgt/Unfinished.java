package io.incudal.agent.target.stgt;

import io.incudal.agent.exec.ToolResult;
import io.incudal.agent.target.Iqn;
import io.incudal.agent.target.Target;
import io.incudal.agent.target.stgt.TgtadmListing.Shown;
import io.vertx.core.Future;
import java.util.ArrayList;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What an agent leaves that is killed in the middle of a creation: a target of its own base without
 * a disk, or with a disk that nobody may log in to. The first is removed, so that the scan makes it
 * anew; the second is opened.
 *
 * <p>Only when the daemon is opened: at any other time the creation may still be going on.
 */
final class Unfinished {
  private static final Logger LOG = LoggerFactory.getLogger(Unfinished.class);

  private final Tgtadm tgtadm;
  private final TidTable tids;
  private final String prefix;

  Unfinished(Tgtadm tgtadm, TidTable tids, String iqnBase) {
    this.tgtadm = tgtadm;
    this.tids = tids;
    this.prefix = iqnBase + ":";
  }

  Future<Void> finish(List<Shown> found) {
    List<Future<ToolResult>> repairs = new ArrayList<>();
    for (Shown shown : found) {
      if (shown.target().iqn().startsWith(prefix) && !tids.isReserved(shown.tid())) {
        repair(shown, repairs);
      }
    }
    return Future.join(repairs).mapEmpty();
  }

  private void repair(Shown shown, List<Future<ToolResult>> repairs) {
    Target target = shown.target();
    if (target.luns().stream().allMatch(lun -> lun.backing().isEmpty())) {
      LOG.warn("unfinished target found, removed iqn={} tid={}", target.iqn(), shown.tid());
      repairs.add(tgtadm.delete(List.of(shown.tid())));
      tids.remove(new Iqn(target.iqn()));
    } else if (!shown.bound()) {
      LOG.warn("closed target found, opened iqn={} tid={}", target.iqn(), shown.tid());
      repairs.add(tgtadm.bindAll(shown.tid()));
    }
  }
}
