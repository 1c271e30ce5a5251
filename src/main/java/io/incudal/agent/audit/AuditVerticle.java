package io.incudal.agent.audit;

import io.incudal.agent.bus.Addresses;
import io.incudal.agent.bus.AgentException;
import io.incudal.agent.bus.AgentMessage;
import io.incudal.agent.bus.Bus;
import io.incudal.agent.bus.ErrorCode;
import io.incudal.agent.config.Secret;
import io.vertx.core.Future;
import io.vertx.core.VerticleBase;
import io.vertx.core.WorkerExecutor;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Serves the audit log. One write runs at a time, on a thread of its own; those who come meanwhile
 * share the next one and its sync. Pages are read on other threads, and neither waits for the
 * other.
 *
 * <p>The verticle's own state belongs to its context, which never touches the disk.
 */
public final class AuditVerticle extends VerticleBase {
  private static final Logger LOG = LoggerFactory.getLogger(AuditVerticle.class);
  private static final int READERS = 2;

  private final Bus bus;
  private final Path file;
  private final AuditLog log;
  private final AuditReader reader;
  private final AuditListener listener;

  private final List<Bus.Registration> served = new ArrayList<>();
  private WorkerExecutor writing;
  private WorkerExecutor reading;
  private Future<?> running = Future.succeededFuture();
  private Batch next;
  private boolean failing;
  private long reportedUpTo;

  /**
   * @param secrets what never reaches the log; asked for each line
   */
  public AuditVerticle(Bus bus, Path file, Supplier<List<Secret>> secrets, AuditListener listener) {
    this.listener = listener;
    this.bus = bus;
    this.file = file;
    this.log = new AuditLog(file, new AuditLine(secrets), Clock.systemDefaultZone());
    this.reader = new AuditReader(file);
  }

  /** Operations that are written and synced together; their ids follow that of the first one. */
  private static final class Batch {
    private final List<AuditMessages.Append> entries = new ArrayList<>();
    private Future<Long> firstId;
  }

  /** Serves also when the log cannot be opened: that is tried again before each operation. */
  @Override
  public Future<?> start() {
    writing = vertx.createSharedWorkerExecutor("audit-write", 1);
    reading = vertx.createSharedWorkerExecutor("audit-read", READERS);
    return write(this::open)
        .onSuccess(lastId -> LOG.info("audit log open file={} last-id={}", file, lastId))
        .otherwiseEmpty()
        .onSuccess(
            opened -> {
              served.add(
                  bus.serve(Addresses.AUDIT_APPEND, AuditMessages.Writing.class, this::take));
              served.add(bus.serve(Addresses.AUDIT_READ, AuditMessages.ReadPage.class, this::read));
            });
  }

  /** Whoever was answered with an id finds the line on the disk; the rest is told to look again. */
  @Override
  public Future<?> stop() {
    return Future.join(served.stream().map(Bus.Registration::unregister).toList())
        .eventually(() -> running)
        .eventually(() -> write(this::close))
        .eventually(writing::close)
        .eventually(reading::close);
  }

  private Future<? extends AgentMessage> take(AuditMessages.Writing<?> order) {
    return order instanceof AuditMessages.Append entry ? append(entry) : checkWritable();
  }

  private Future<AuditMessages.Appended> append(AuditMessages.Append entry) {
    if (next == null) {
      next = new Batch();
    }
    Batch batch = next;
    int place = batch.entries.size();
    long asked = System.nanoTime();
    batch.entries.add(entry);
    if (place == 0) {
      batch.firstId = running.transform((ended, failure) -> begin(batch));
      running = batch.firstId;
    }
    return batch
        .firstId
        .andThen(
            done -> listener.ended(Duration.ofNanos(System.nanoTime() - asked), done.succeeded()))
        .map(firstId -> new AuditMessages.Appended(firstId + place))
        .recover(failure -> fail(ErrorCode.AUDIT_FAILED, "the audit log cannot be written"));
  }

  private Future<Long> begin(Batch batch) {
    next = null;
    return write(() -> log.append(batch.entries));
  }

  /** Mostly a look from aside; a log that failed has to show with a write that it works again. */
  private Future<AuditMessages.Writable> checkWritable() {
    return reading
        .executeBlocking(log::looksWritable, false)
        .compose(looks -> looks ? Future.succeededFuture() : write(this::probe))
        .map(probed -> new AuditMessages.Writable())
        .recover(
            failure ->
                fail(
                    ErrorCode.AUDIT_UNAVAILABLE,
                    "the audit log cannot be written now, so nothing was done; look at its"
                        + " directory and the space there"));
  }

  private Future<AuditMessages.Page> read(AuditMessages.ReadPage ask) {
    return readOnce(ask)
        .compose(
            found ->
                found.isPresent()
                    ? Future.succeededFuture(found)
                    : write(this::open).compose(opened -> readOnce(ask)))
        .map(found -> found.orElseGet(() -> AuditReader.nothing(ask)))
        .onSuccess(this::report)
        .map(AuditReader.Found::page)
        .recover(failure -> fail(ErrorCode.IO_ERROR, "the audit log cannot be read"));
  }

  private Future<Optional<AuditReader.Found>> readOnce(AuditMessages.ReadPage ask) {
    return reading.executeBlocking(() -> reader.page(log.state(), ask), false);
  }

  /** Tells of unreadable lines once, not each time that a page goes over them. */
  private void report(AuditReader.Found found) {
    if (found.unreadable() > 0 && found.upTo() > reportedUpTo) {
      LOG.warn(
          "audit log unreadable lines passed over file={} count={} before={}",
          file,
          found.unreadable(),
          found.upTo());
      reportedUpTo = found.upTo();
    }
  }

  /** Runs on the writer's thread, and tells when writing begins and ends to fail. */
  private <T> Future<T> write(Callable<T> work) {
    return writing
        .executeBlocking(work, false)
        .onSuccess(
            done -> {
              if (failing) {
                LOG.info("audit log works again file={}", file);
              }
              failing = false;
            })
        .onFailure(
            failure -> {
              if (!failing) {
                LOG.error("audit log failed file={}", file, failure);
              }
              failing = true;
            });
  }

  private Long open() throws Exception {
    log.open();
    return log.state().lastId();
  }

  private Void probe() throws Exception {
    log.probe();
    return null;
  }

  private Void close() throws Exception {
    log.close();
    return null;
  }

  private static <T> Future<T> fail(ErrorCode code, String message) {
    return Future.failedFuture(new AgentException(code, message));
  }
}
