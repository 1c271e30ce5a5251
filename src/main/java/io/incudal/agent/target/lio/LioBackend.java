package io.incudal.agent.target.lio;

import io.incudal.agent.bus.AgentException;
import io.incudal.agent.bus.ErrorCode;
import io.incudal.agent.config.NodeConfig;
import io.incudal.agent.exec.ToolResult;
import io.incudal.agent.exec.ToolRunner;
import io.incudal.agent.target.Backing;
import io.incudal.agent.target.Iqn;
import io.incudal.agent.target.Target;
import io.incudal.agent.target.TargetBackend;
import io.incudal.agent.target.lio.Lio.Refusal;
import io.incudal.agent.target.lio.SavedConfig.Change;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * LIO: targets live in the kernel, and are saved where {@code targetcli} saves them.
 *
 * <p>Runs on the worker verticle's context and never blocks. A write is first made in the kernel,
 * then saved, and undone when it cannot be saved; a deletion is forgotten first, and then made. So
 * whatever happens, the saved configuration holds what was answered.
 */
public final class LioBackend implements TargetBackend {
  private static final Logger LOG = LoggerFactory.getLogger(LioBackend.class);

  /** What targetcli takes as one word, but for the comma, at which the kernel would cut it. */
  private static final Pattern ONE_WORD =
      Pattern.compile("[A-Za-z0-9?;&*$!#=_\\\\+/.<>()~@:%\\[\\]-]+");

  /** The kernel would cut a longer path, and make a file of the name that is left. */
  private static final int MAX_PATH_BYTES = 255;

  private final ToolRunner tools;
  private final Lio lio;
  private final SavedConfig saved;
  private final GroupSave saves;
  private final Doubts doubts;
  private final Listings listings;
  private final LeftBehind leftBehind;
  private final String iqnBase;
  private final Path images;
  private final KnownTargets known = new KnownTargets();
  private final Set<String> inWork = new HashSet<>();
  private Optional<String> instance = Optional.empty();

  /**
   * @param tools closed with this back end
   */
  public LioBackend(Vertx vertx, ToolRunner tools, NodeConfig config) {
    var limit = config.backend().commandTimeout();
    this.tools = tools;
    this.lio = new Lio(tools, limit, config.backend().lioWriteBack());
    this.saved = new SavedConfig(tools, limit);
    this.saves = new GroupSave(vertx, saved);
    this.doubts = new Doubts(lio);
    this.listings = new Listings(lio, doubts, known);
    this.iqnBase = config.iqnBase();
    this.images = config.images().directory();
    this.leftBehind = new LeftBehind(lio, saved, iqnBase, images);
  }

  @Override
  public Future<List<Target>> list() {
    return listings.join();
  }

  @Override
  public boolean knows(Iqn iqn) {
    return known.has(iqn) && !doubts.about(iqn);
  }

  @Override
  public Optional<String> refusal(String fileName) {
    if (!ONE_WORD.matcher(fileName).matches()) {
      return Optional.of("holds a character that targetcli cannot carry, such as a blank");
    }
    int bytes = images.resolve(fileName).toString().getBytes(StandardCharsets.UTF_8).length;
    return bytes <= MAX_PATH_BYTES
        ? Optional.empty()
        : Optional.of("makes a path of " + bytes + " bytes, and LIO takes " + MAX_PATH_BYTES);
  }

  @Override
  public Future<Void> export(Iqn iqn, Backing backing) {
    if (backing.cd()) {
      return Future.failedFuture(
          new AgentException(ErrorCode.CD_UNSUPPORTED, "lio backend does not support cd"));
    }
    inWork.add(iqn.value());
    return doubts
        .settle(iqn)
        .compose(clear -> make(iqn, backing.file()))
        .onSuccess(done -> known.add(iqn))
        .onComplete(done -> inWork.remove(iqn.value()));
  }

  private Future<Void> make(Iqn iqn, Path image) {
    // Before the script, so that a save of the same time waits for this one.
    saves.announce();
    return lio.export(iqn, iqn.suffix(iqnBase), image)
        .compose(
            result -> made(iqn, image, result),
            cutOff -> {
              saves.withdraw();
              return undone(iqn, image, cutOff);
            });
  }

  private Future<Void> made(Iqn iqn, Path image, ToolResult result) {
    if (result.ok()) {
      return saves
          .save(new Change(iqn.value(), true))
          .recover(notSaved -> undone(iqn, image, notSaved));
    }
    saves.withdraw();
    return Future.failedFuture(
        switch (result.exitCode()) {
          case Lio.MISMATCH -> {
            known.add(iqn);
            yield new AgentException(ErrorCode.TARGET_EXISTS, "target already exists: " + iqn);
          }
          case Lio.NO_IMAGE ->
              new AgentException(ErrorCode.COMMAND_FAILED, result.stderr().strip());
          case Lio.IMAGE_TAKEN ->
              new AgentException(ErrorCode.BACKING_IN_USE, result.stderr().strip());
          default -> Lio.failure(result);
        });
  }

  private Future<Void> undone(Iqn iqn, Path image, Throwable why) {
    return doubts.undo(iqn, image).transform(done -> Future.failedFuture(why));
  }

  /**
   * Closed, forgotten, removed, in this order: cut off before it is forgotten, it is opened again;
   * cut off later, only the kernel has it, and not after its next start.
   */
  @Override
  public Future<Void> unexport(Iqn iqn, boolean endSessions) {
    inWork.add(iqn.value());
    return doubts
        .settle(iqn)
        .compose(clear -> lio.refuse(iqn, endSessions))
        .compose(result -> refused(iqn, result), cutOff -> admitAgain(iqn, List.of(), cutOff))
        .onSuccess(done -> known.remove(iqn))
        .onComplete(done -> inWork.remove(iqn.value()));
  }

  private Future<Void> refused(Iqn iqn, ToolResult result) {
    Refusal refusal = Refusal.parse(result.stdout());
    if (result.ok()) {
      return forget(iqn)
          .recover(notForgotten -> admitAgain(iqn, refusal.before(), notForgotten))
          .compose(forgotten -> remove(iqn));
    }
    return switch (result.exitCode()) {
      case Lio.MISMATCH -> absent(iqn);
      case Lio.IN_USE -> Future.failedFuture(inUse(refusal.initiators()));
      default -> admitAgain(iqn, refusal.before(), Lio.failure(result));
    };
  }

  private Future<Void> forget(Iqn iqn) {
    saves.announce();
    return saves.save(new Change(iqn.value(), false));
  }

  /** Everything is as before. */
  private Future<Void> admitAgain(Iqn iqn, List<String> before, Throwable why) {
    return lio.admit(iqn.value(), before)
        .onFailure(
            failure ->
                LOG.warn("target may refuse logins iqn={} reason={}", iqn, failure.getMessage()))
        .transform(done -> Future.failedFuture(why));
  }

  private Future<Void> remove(Iqn iqn) {
    return lio.remove(iqn.value(), List.of(iqn.suffix(iqnBase)))
        .compose(
            result ->
                result.ok() ? Future.succeededFuture() : Future.failedFuture(notWhole(result)),
            cutOff -> goneAnyway(iqn, cutOff));
  }

  private static AgentException notWhole(ToolResult result) {
    AgentException failure = Lio.failure(result);
    return new AgentException(
        failure.code(), failure.getMessage() + " (partly removed; delete it again)");
  }

  /** A removal that ran past its limit may have been done all the same. */
  private Future<Void> goneAnyway(Iqn iqn, Throwable cutOff) {
    return list()
        .transform(
            looked ->
                looked.failed() || known.has(iqn)
                    ? Future.failedFuture(cutOff)
                    : Future.succeededFuture());
  }

  /** Somebody has removed it by hand; a backstore or a saved target may have been left. */
  private Future<Void> absent(Iqn iqn) {
    known.remove(iqn);
    return lio.remove(iqn.value(), List.of(iqn.suffix(iqnBase)))
        .compose(done -> saved.has(iqn.value()) ? forget(iqn) : Future.succeededFuture())
        .compose(
            done ->
                Future.failedFuture(
                    new AgentException(ErrorCode.TARGET_NOT_FOUND, "target not found: " + iqn)));
  }

  private static AgentException inUse(List<String> initiators) {
    return new AgentException(
            ErrorCode.TARGET_IN_USE,
            "logged in: "
                + String.join(", ", initiators)
                + "; log out there, or delete with force=true")
        .with("initiators", initiators);
  }

  @Override
  public Future<Opened> open() {
    return saved
        .restore()
        .compose(
            found ->
                tools
                    .instance()
                    .compose(now -> adopt(now))
                    .compose(targets -> leftBehind.tidy(found, targets, Set.copyOf(inWork)))
                    .map(tidy -> opened(found)));
  }

  /** After the restoring, which also loads the kernel's modules: before, there may be no LIO. */
  private Future<List<Target>> adopt(String now) {
    return lio.boot()
        .compose(
            boot -> {
              // What the last kernel had says nothing of this one.
              if (!lio.isExpected(boot.orElse(""))) {
                lio.expect(boot.orElse(""));
                known.clear();
              }
              instance = Optional.of(now);
              return list();
            });
  }

  private static Opened opened(Restored found) {
    boolean needsScan = found.kernel() == 0 && found.source().equals("none");
    LOG.info(
        "target daemon opened backend=lio targets={} restored={} source={}",
        found.kernel(),
        found.restored().size(),
        found.source());
    found.left().forEach((iqn, why) -> LOG.warn("saved target left iqn={} reason={}", iqn, why));
    found.errors().forEach(error -> LOG.warn("saved target restored in part error={}", error));
    return new Opened(needsScan);
  }

  @Override
  public Future<Boolean> alive() {
    return tools
        .instance()
        .compose(now -> lio.boot().map(boot -> isSame(now, boot)))
        .compose(same -> same ? doubts.settleAll().map(true) : Future.succeededFuture(false));
  }

  /**
   * A container that was started anew has lost nothing, but it may be the first one that can
   * restore what is saved, and it costs little to look.
   */
  private boolean isSame(String now, Optional<String> boot) {
    return instance.equals(Optional.of(now)) && boot.isPresent() && lio.isExpected(boot.get());
  }

  @Override
  public Future<Void> close() {
    return tools.close();
  }
}
