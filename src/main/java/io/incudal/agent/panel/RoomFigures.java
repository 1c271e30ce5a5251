package io.incudal.agent.panel;

import io.incudal.agent.bus.Addresses;
import io.incudal.agent.bus.AgentMessage;
import io.incudal.agent.bus.Bus;
import io.incudal.agent.bus.Request;
import io.incudal.agent.image.ImageMessages;
import io.incudal.agent.lun.LunMessages;
import io.incudal.agent.upgrade.UpgradeMessages;
import io.vertx.core.Future;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/**
 * Asks the other rooms what a heartbeat says of them. None of the questions touches a disk or a
 * daemon; a room that does not answer leaves its figures out, and never keeps a heartbeat waiting.
 */
final class RoomFigures {
  private static final Duration LIMIT = Duration.ofSeconds(2);

  private final Bus bus;
  private final boolean node;

  /**
   * @param node whether the Agent API runs
   */
  RoomFigures(Bus bus, boolean node) {
    this.bus = bus;
    this.node = node;
  }

  Future<BeatReport.Extras> read() {
    var iscsi = node ? iscsi().map(Optional::of) : Future.succeededFuture(noFigures());
    var upgrade = ask(Addresses.UPGRADE_STATUS, new UpgradeMessages.ReadStatus());
    return Future.all(iscsi, upgrade)
        .map(
            all ->
                new BeatReport.Extras(
                    iscsi.result(), upgrade.result().flatMap(UpgradeMessages.Status::last)));
  }

  private static Optional<Map<String, Object>> noFigures() {
    return Optional.empty();
  }

  private Future<Map<String, Object>> iscsi() {
    var backend = ask(Addresses.LUN_QUERY, new LunMessages.DescribeBackend());
    var capabilities = ask(Addresses.LUN_QUERY, new LunMessages.DescribeCapabilities());
    var masters = ask(Addresses.IMAGE_MASTERS, new ImageMessages.ListMasters());
    return Future.all(backend, capabilities, masters)
        .map(
            all -> {
              Map<String, Object> figures = new LinkedHashMap<>();
              var view = backend.result();
              boolean ready = view.filter(LunMessages.BackendView::ready).isPresent();
              figures.put("backendReady", ready);
              view.filter(known -> ready && known.targets().isPresent())
                  .ifPresent(known -> figures.put("targets", known.targets().getAsInt()));
              capabilities.result().ifPresent(known -> figures.put("backend", known.backend()));
              capabilities.result().ifPresent(known -> figures.put("fsType", known.fsType()));
              masters.result().ifPresent(list -> figures.put("masters", list.masters().size()));
              return figures;
            });
  }

  private <R extends AgentMessage> Future<Optional<R>> ask(String address, Request<R> question) {
    return bus.request(address, question, LIMIT)
        .map(Optional::of)
        .otherwise(unanswered -> Optional.empty());
  }
}
