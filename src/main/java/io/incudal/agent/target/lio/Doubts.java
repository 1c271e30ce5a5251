package io.incudal.agent.target.lio;

import io.incudal.agent.exec.ToolResult;
import io.incudal.agent.target.Iqn;
import io.vertx.core.Future;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Targets that the agent made, or may have made, for a request that failed. Their callers were told
 * so, and their images are gone: they are removed at once, or as soon as the kernel can be asked
 * again.
 *
 * <p>Touched on one context only; never blocks.
 */
final class Doubts {
  private static final Logger LOG = LoggerFactory.getLogger(Doubts.class);

  /** The caller has waited long enough already. */
  private static final Duration SHORT = Duration.ofSeconds(5);

  private final Lio lio;
  private final Map<Iqn, Path> doubts = new LinkedHashMap<>();

  Doubts(Lio lio) {
    this.lio = lio;
  }

  boolean about(Iqn iqn) {
    return doubts.containsKey(iqn);
  }

  /** Removes what was made, now or later. Never fails. */
  Future<Void> undo(Iqn iqn, Path image) {
    doubts.put(iqn, image);
    return settle(iqn)
        .recover(
            failure -> {
              LOG.warn("target to be removed later iqn={} reason={}", iqn, failure.getMessage());
              return Future.succeededFuture();
            });
  }

  /** Makes sure that nothing is left of a failed request for this name. */
  Future<Void> settle(Iqn iqn) {
    Path image = doubts.get(iqn);
    return image == null ? Future.succeededFuture() : remove(iqn, image);
  }

  /** The same for all names; goes on after a failure. */
  Future<Void> settleAll() {
    List<Future<Void>> all = List.copyOf(doubts.keySet()).stream().map(this::settle).toList();
    return Future.join(all).<Void>mapEmpty().otherwiseEmpty();
  }

  private Future<Void> remove(Iqn iqn, Path image) {
    return lio.removeOf(SHORT, iqn, image)
        .compose(Doubts::gone)
        .onSuccess(
            removed -> {
              doubts.remove(iqn, image);
              LOG.info("unfinished target removed iqn={}", iqn);
            });
  }

  /** Not there, somebody else's, or of a kernel that is gone: what was never saved went with it. */
  private static Future<Void> gone(ToolResult result) {
    return result.ok() || result.exitCode() == Lio.MISMATCH || result.exitCode() == Lio.OTHER_KERNEL
        ? Future.succeededFuture()
        : Future.failedFuture(Lio.failure(result));
  }
}
