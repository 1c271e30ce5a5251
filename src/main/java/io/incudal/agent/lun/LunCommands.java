package io.incudal.agent.lun;

import io.incudal.agent.bus.AgentException;
import io.incudal.agent.bus.AgentMessage;
import io.incudal.agent.bus.Bus;
import io.incudal.agent.bus.ErrorCode;
import io.incudal.agent.bus.LogTag;
import io.incudal.agent.config.BackendConfig.Kind;
import io.incudal.agent.config.NodeConfig;
import io.incudal.agent.image.ImageName;
import io.incudal.agent.image.ImageStore;
import io.incudal.agent.lun.AuditTrail.Entry;
import io.incudal.agent.lun.LunMessages.Command;
import io.incudal.agent.lun.LunMessages.CreateDisk;
import io.incudal.agent.lun.LunMessages.Delete;
import io.incudal.agent.lun.LunMessages.Deleted;
import io.incudal.agent.lun.LunMessages.Exported;
import io.incudal.agent.lun.LunMessages.MountCd;
import io.incudal.agent.lun.LunMessages.Scan;
import io.incudal.agent.lun.LunMessages.Scanned;
import io.incudal.agent.target.Iqn;
import io.incudal.agent.target.TargetBackend;
import io.vertx.core.Future;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What changes targets and files: makes types of what was sent, takes the turns, and has each done
 * as one operation. Runs on the worker verticle's context and never blocks.
 */
final class LunCommands {
  private static final Logger LOG = LoggerFactory.getLogger(LunCommands.class);

  private final NodeConfig config;
  private final Recovery recovery;
  private final AuditTrail trail;
  private final Turns turns;
  private final Names names;
  private final Subjects subjects;
  private final DiskCreation disks;
  private final CdMounting cds;
  private final TargetDeletion deletion;
  private final DirectoryScan scans;
  private int underWay;

  /** The files, and where they lie. */
  record Storage(ImageStore images, ImagePaths paths) {}

  /** The back end, how it stands with it, and who waits for whom at it. */
  record Exporting(TargetBackend backend, Exports exports, Recovery recovery, Turns turns) {}

  LunCommands(Bus bus, NodeConfig config, Exporting exporting, Storage storage) {
    this.config = config;
    this.recovery = exporting.recovery();
    this.trail = new AuditTrail(bus);
    this.turns = exporting.turns();
    this.names = new Names(config.iqnBase(), hasCds(), exporting.backend());
    Exports exports = exporting.exports();
    ImageStore images = storage.images();
    this.subjects = new Subjects(exports, images, storage.paths(), names);
    this.disks = new DiskCreation(exports, images);
    this.cds = new CdMounting(exports, images, names);
    this.deletion = new TargetDeletion(exports, images);
    this.scans = new DirectoryScan(exports, images, storage.paths(), names);
  }

  Future<? extends AgentMessage> perform(Command<?> command) {
    underWay++;
    return Future.succeededFuture(command).compose(this::dispatch).andThen(done -> underWay--);
  }

  /** How many commands run or wait. */
  int underWay() {
    return underWay;
  }

  /** Lets what runs come to its end, and turns the rest away. */
  Future<Void> close() {
    recovery.stop();
    return turns.close();
  }

  private Future<? extends AgentMessage> dispatch(Command<?> command) {
    if (command instanceof CreateDisk disk) {
      return create(disk);
    }
    if (command instanceof MountCd cd) {
      return mount(cd);
    }
    if (command instanceof Delete delete) {
      return delete(delete);
    }
    Scan scan = (Scan) command;
    return scan.automatic() ? scanUnasked(scan) : scan(scan);
  }

  private Future<Exported> create(CreateDisk command) {
    Sent sent = command.sent();
    var operation = operation("disk", known(sent, "iqn", "master", "size", "filename"), command);
    return operation
        .audited(() -> create(sent, operation))
        .onSuccess(done -> LOG.info("disk created backing={}", done.backing()));
  }

  private Future<Exported> create(Sent sent, Operation operation) {
    var order = DiskOrder.parse(sent, names, config.images().maxDiskBytes());
    Supplier<Future<Exported>> work = () -> disks.create(order, operation);
    return inTurns(order.iqn(), order.file(), () -> operation.perform(work));
  }

  private Future<Exported> mount(MountCd command) {
    var operation = operation("cd", known(command.sent(), "iso", "iqn"), command);
    return operation
        .audited(() -> mount(command.sent(), operation))
        .onSuccess(done -> LOG.info("cd mounted backing={}", done.backing()));
  }

  private Future<Exported> mount(Sent sent, Operation operation) {
    if (!hasCds()) {
      throw new AgentException(ErrorCode.CD_UNSUPPORTED, "lio backend does not support cd");
    }
    var order = cds.parse(sent);
    Supplier<Future<Exported>> work = () -> cds.mount(order, operation);
    return inTurns(order.iqn(), order.iso(), () -> operation.perform(work));
  }

  private <R> Future<R> inTurns(Iqn iqn, ImageName file, Supplier<Future<R>> work) {
    LogTag.IQN.bind(iqn.value());
    return recovery.entrance().compose(in -> turns.ofTargetAndFile(iqn, file, work));
  }

  private Future<Deleted> delete(Delete command) {
    var operation = operation("delete", DeleteOrder.logged(command.sent()), command);
    return operation
        .audited(() -> delete(command.sent(), operation))
        .onSuccess(done -> LOG.info("target deleted file={}", done.deleteFile()));
  }

  /**
   * While the targets are being brought back, it keeps its place in the line behind the scan, and
   * is answered when that takes too long; its turn comes to nothing then.
   */
  private Future<Deleted> delete(Sent sent, Operation operation) {
    var order = DeleteOrder.parse(sent, names, config.backend().deleteInUse());
    LogTag.IQN.bind(order.iqn().value());
    Future<Void> admitted = recovery.admission();
    Supplier<Future<Deleted>> work =
        () -> admitted.compose(targetsAreBack -> delete(order, operation));
    Future<Deleted> turn = recovery.entrance().compose(in -> turns.ofTarget(order.iqn(), work));
    return Future.all(admitted, turn).map(both -> turn.result());
  }

  private Future<Deleted> delete(DeleteOrder order, Operation operation) {
    return subjects.inTurn(
        turns,
        order.iqn(),
        subject -> operation.perform(() -> deletion.delete(order, subject, operation)));
  }

  private Future<Scanned> scan(Scan command) {
    var operation = operation("scan", Map.of(), command);
    return operation.audited(() -> scan(operation)).onSuccess(LunCommands::log);
  }

  private Future<Scanned> scan(Operation operation) {
    Supplier<Future<Scanned>> work = () -> scans.scan(turns, operation, () -> {});
    return recovery
        .entrance()
        .compose(in -> turns.ofScan(false, () -> operation.perform(work, LunCommands::counts)));
  }

  /**
   * Brings targets back that were there before: so it does not wait for a log that cannot be
   * written, and a failed one, which is repeated, is no operation.
   */
  private Future<Scanned> scanUnasked(Scan command) {
    var entry = new Entry("auto_scan", Map.of(), command.caller());
    var operation = new Operation(trail, entry);
    return turns
        .ofScan(true, () -> scans.scan(turns, operation, recovery::scanPlanned))
        .compose(
            done ->
                trail
                    .succeeded(entry, counts(done))
                    .onFailure(unwritten -> LOG.error("auto-scan not in the audit log", unwritten))
                    .transform(logged -> Future.succeededFuture(done)))
        .onSuccess(LunCommands::log)
        .andThen(done -> recovery.scanEnded(done.succeeded()));
  }

  private boolean hasCds() {
    return config.backend().kind() == Kind.STGT;
  }

  private Operation operation(String op, Map<String, Object> req, Command<?> command) {
    return new Operation(trail, new Entry(op, req, command.caller()));
  }

  private static Map<String, Object> known(Sent sent, String... members) {
    Map<String, Object> known = new LinkedHashMap<>();
    for (String member : members) {
      known.put(member, sent.members().get(member));
    }
    return known;
  }

  private static Map<String, Integer> counts(Scanned scanned) {
    Map<String, Integer> counts = new LinkedHashMap<>();
    counts.put("created", scanned.created().size());
    counts.put("skipped", scanned.skipped().size());
    if (!scanned.failed().isEmpty()) {
      counts.put("failed", scanned.failed().size());
    }
    return counts;
  }

  private static void log(Scanned scanned) {
    LOG.info("directory scanned counts={}", counts(scanned));
    scanned
        .failed()
        .forEach(
            failed ->
                LOG.warn("image not exported file={} reason={}", failed.file(), failed.detail()));
  }
}
