package io.incudal.agent.api;

import io.incudal.agent.bus.Addresses;
import io.incudal.agent.bus.AgentException;
import io.incudal.agent.bus.AgentMessage;
import io.incudal.agent.bus.Bus;
import io.incudal.agent.bus.LogTag;
import io.incudal.agent.lun.LunMessages.Command;
import io.incudal.agent.lun.LunMessages.CreateDisk;
import io.incudal.agent.lun.LunMessages.Delete;
import io.incudal.agent.lun.LunMessages.ListTargets;
import io.incudal.agent.lun.LunMessages.MountCd;
import io.incudal.agent.lun.LunMessages.Scan;
import io.incudal.agent.lun.LunMessages.TargetList;
import io.incudal.agent.lun.Sent;
import io.incudal.agent.target.Iqn;
import io.vertx.core.Future;
import io.vertx.core.WorkerExecutor;
import io.vertx.ext.web.RoutingContext;
import java.util.List;

/**
 * The operations on targets: each takes the known members out of the request and hands them, as
 * they were sent, to {@code lun}, which judges them.
 */
final class TargetEndpoints {
  /** What takes about a millisecond to render; larger listings leave the event loop alone. */
  private static final int LARGE = 500;

  private final Bus bus;
  private final BusWaits waits;
  private final String iqnBase;
  private final BodyReader bodies;
  private final Rendered<TargetList> listing;

  TargetEndpoints(
      Bus bus, Endpoints.Settings settings, BodyReader bodies, WorkerExecutor renderer) {
    this.bus = bus;
    this.waits = settings.waits();
    this.iqnBase = settings.iqnBase();
    this.bodies = bodies;
    this.listing =
        new Rendered<>(
            list ->
                list.targets().size() < LARGE
                    ? Future.succeededFuture(Payload.json(Views.targets(list)))
                    : renderer.executeBlocking(() -> Payload.json(Views.targets(list)), false));
  }

  Future<Payload> createDisk(RoutingContext ctx) {
    return sent(ctx, List.of("iqn", "master", "size", "filename"))
        .compose(sent -> command(new CreateDisk(Exchange.of(ctx).caller(), sent)))
        .map(reply -> Payload.json(Views.exported(reply)));
  }

  Future<Payload> mountCd(RoutingContext ctx) {
    return sent(ctx, List.of("iso", "iqn"))
        .compose(sent -> command(new MountCd(Exchange.of(ctx).caller(), sent)))
        .map(reply -> Payload.json(Views.exported(reply)));
  }

  Future<Payload> scan(RoutingContext ctx) {
    return bodies
        .read(ctx.request())
        .compose(ignored -> command(new Scan(Exchange.of(ctx).caller(), false)))
        .map(reply -> Payload.json(Views.scanned(reply)));
  }

  Future<Payload> delete(RoutingContext ctx) {
    Sent sent = Members.of(ctx.queryParams(), List.of("iqn", "delete_file", "force"));
    note(sent);
    return command(new Delete(Exchange.of(ctx).caller(), sent))
        .map(reply -> Payload.json(Views.deleted(reply)));
  }

  Future<Payload> list(RoutingContext ctx) {
    return bus.request(Addresses.LUN_QUERY, new ListTargets(), waits.read()).compose(listing::of);
  }

  private <R extends AgentMessage> Future<R> command(Command<R> command) {
    return bus.request(Addresses.LUN_COMMAND, command, waits.write());
  }

  private Future<Sent> sent(RoutingContext ctx, List<String> known) {
    return bodies
        .object(ctx.request())
        .map(
            members -> {
              Sent sent = Members.of(members, known);
              note(sent);
              return sent;
            });
  }

  /** Names the target in log lines, unless the name may be something else, such as a token. */
  private void note(Sent sent) {
    if (sent.members().get("iqn") instanceof String name) {
      try {
        LogTag.IQN.bind(Iqn.parse(iqnBase, name).value());
      } catch (AgentException invalid) {
        // The answer will say so.
      }
    }
  }
}
