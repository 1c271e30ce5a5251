package io.incudal.agent.upgrade;

import io.incudal.agent.bus.Addresses;
import io.incudal.agent.bus.Bus;
import io.incudal.agent.config.PanelConfig;
import io.incudal.agent.config.UpgradeConfig;
import io.incudal.agent.panel.PanelMessages;
import io.incudal.agent.support.AgentVersion;
import io.incudal.agent.support.Origin;
import io.vertx.core.Future;
import io.vertx.core.VerticleBase;
import io.vertx.core.WorkerExecutor;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Takes the panel's offers, one upgrade at a time, and says how the last one went.
 *
 * <p>An event-loop verticle; disk and systemd are left to a worker pool of its own. At its start it
 * settles what an earlier process left unfinished. Judges no new version: that is the watcher's.
 */
public final class UpgradeVerticle extends VerticleBase {
  private static final Logger LOG = LoggerFactory.getLogger(UpgradeVerticle.class);

  private final PanelConfig config;
  private final Bus bus;
  private final FileSteps files = new DiskSteps();
  private final ServiceManager service;
  private final String running = AgentVersion.current();
  private final UpgradeJournal journal;
  private final OfferGate gate;
  private final UpgradeAttempt.Tools tools;
  private WorkerExecutor worker;
  private UpgradeRun run;
  private Future<?> underWay = Future.succeededFuture();

  public UpgradeVerticle(PanelConfig config, Bus bus) {
    this(config, bus, new Systemd(config.upgrade().service()));
  }

  UpgradeVerticle(PanelConfig config, Bus bus, ServiceManager service) {
    this.config = config;
    this.bus = bus;
    this.service = service;
    this.journal =
        new UpgradeJournal(
            new MarkerFile(config.upgrade().stateDirectory(), files), bus, InstantSource.system());
    this.tools = new UpgradeAttempt.Tools(journal, files, service);
    this.gate = new OfferGate(Origin.of(config.url()), running);
  }

  @Override
  public Future<?> start() {
    worker = vertx.createSharedWorkerExecutor("upgrade", 2);
    run = new UpgradeRun(vertx, worker, config, bus);
    return settle().onSuccess(settled -> serve());
  }

  @Override
  public Future<?> stop() {
    return run == null ? Future.succeededFuture() : run.stop();
  }

  private void serve() {
    bus.serve(Addresses.UPGRADE_OFFER, UpgradeMessages.Offer.class, this::note);
    bus.serve(Addresses.UPGRADE_STATUS, UpgradeMessages.ReadStatus.class, read -> status());
    bus.listen(Addresses.EVENT_HEARTBEAT, PanelMessages.HeartbeatAccepted.class, beat -> confirm());
  }

  /** An agent that was not started from a release file has nothing to settle. */
  private Future<Void> settle() {
    return config.upgrade().binary().isEmpty()
        ? Future.succeededFuture()
        : worker
            .executeBlocking(
                () -> {
                  new Homecoming(config.upgrade(), journal, files, service).settle(running);
                  return (Void) null;
                },
                false)
            // A marker that cannot be read must not keep the agent from its work.
            .recover(
                failure -> {
                  LOG.error("upgrade marker cannot be used", failure);
                  return Future.succeededFuture();
                });
  }

  private Future<UpgradeMessages.Status> status() {
    return Future.succeededFuture(
        new UpgradeMessages.Status(journal.record().last().map(UpgradeRecord.Attempt::view)));
  }

  private Future<UpgradeMessages.Noted> note(UpgradeMessages.Offer offer) {
    var decision = gate.decide(offer, journal.record(), Instant.now());
    if (decision instanceof OfferGate.Refuse refused) {
      journal.refuse(refused.version(), refused.reason());
    } else if (decision instanceof OfferGate.Take taken && underWay.isComplete()) {
      underWay = take(offer, taken.wanted());
    }
    return Future.succeededFuture(new UpgradeMessages.Noted());
  }

  private Future<?> take(UpgradeMessages.Offer offer, UpgradePackage wanted) {
    return refusal()
        .compose(
            refusal -> {
              if (refusal.isPresent()) {
                gate.refuse(offer);
                journal.refuse(wanted.version(), refusal.get());
                return Future.succeededFuture();
              }
              journal.open(wanted, running);
              return run.run(new UpgradeAttempt(config, wanted, tools)).onFailure(this::failed);
            })
        .onFailure(failure -> LOG.debug("upgrade attempt ended", failure));
  }

  private void failed(Throwable failure) {
    if (!UpgradeException.blamesPackage(failure)) {
      gate.failed(Instant.now());
    }
  }

  private Future<Optional<String>> refusal() {
    UpgradeConfig upgrade = config.upgrade();
    return upgrade.binary().isEmpty()
        ? Future.succeededFuture(
            Optional.of("the agent was not started from a release file, so it cannot be replaced"))
        : worker.executeBlocking(service::refusal, false);
  }

  /** The new version did what it has to do: the panel took its heartbeat. */
  private void confirm() {
    boolean watched =
        journal.record().last().filter(last -> last.phase() == UpgradePhase.WATCHING).isPresent();
    if (watched) {
      worker
          .executeBlocking(
              () -> {
                new Homecoming(config.upgrade(), journal, files, service).confirm(running);
                return null;
              },
              true)
          .onFailure(failure -> LOG.error("upgrade cannot be confirmed", failure));
    }
  }
}
