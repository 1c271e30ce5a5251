package io.incudal.agent.target.lio;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.incudal.agent.bus.AgentException;
import io.incudal.agent.bus.ErrorCode;
import io.incudal.agent.config.BackendConfig;
import io.incudal.agent.config.ImageConfig;
import io.incudal.agent.config.NodeConfig;
import io.incudal.agent.target.Backing;
import io.incudal.agent.target.Iqn;
import io.incudal.agent.target.Lun;
import io.incudal.agent.target.Target;
import io.incudal.agent.testing.OnContext;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.junit5.VertxExtension;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.concurrent.Callable;
import java.util.function.Supplier;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

@ExtendWith(VertxExtension.class)
class LioBackendTest {
  private static final String BASE = "iqn.2026-07.com.controller";
  private static final Iqn A = new Iqn(BASE + ":a");
  private static final Iqn B = new Iqn(BASE + ":b");
  private static final Backing FILE = new Backing(Path.of("/img/a.img"), false);
  private static final String INITIATOR = "iqn.2026-07.com.client:x";

  private final FakeLio lio = new FakeLio().files(path -> true);
  private Context context;
  private LioBackend backend;

  @BeforeEach
  void create(Vertx vertx) {
    context = vertx.getOrCreateContext();
    var daemon =
        new BackendConfig(
            BackendConfig.Kind.LIO,
            BackendConfig.Executor.LOCAL,
            "",
            "",
            Duration.ofSeconds(30),
            OptionalInt.empty(),
            true,
            false);
    var images = new ImageConfig(Path.of("/img"), 1L << 40, Duration.ofSeconds(30), 2);
    backend =
        new LioBackend(
            vertx, lio, new NodeConfig(null, null, null, BASE, daemon, images, null, null, null));
  }

  @Test
  void exportsInOneStepAndAnswersWhenItIsSaved() {
    open();
    int before = lio.commands().size();
    run(() -> backend.export(A, FILE));
    assertEquals(
        List.of("EXPORT " + A + " a /img/a.img 1 boot-1", "SAVED save 15.0 +" + A),
        lio.commands().subList(before, lio.commands().size()));
    assertEquals(List.of(A.value()), lio.savedNames());
    assertTrue(on(() -> backend.knows(A)));
  }

  /** B31: the disk is LUN 0, and there is no controller. */
  @Test
  void listsTheDiskAsLunZero() {
    open();
    run(() -> backend.export(A, FILE));
    assertEquals(
        List.of(
            new Target(
                OptionalInt.empty(), A.value(), List.of(new Lun(0, Optional.of("/img/a.img"))))),
        run(backend::list));
  }

  /** B30. */
  @Test
  void exportsNoCd() {
    open();
    var failure = failure(() -> backend.export(A, new Backing(Path.of("/img/a.iso"), true)));
    assertEquals(ErrorCode.CD_UNSUPPORTED, failure.code());
    assertEquals("lio backend does not support cd", failure.getMessage());
  }

  /** B19, B29: writes of the same time share a save. */
  @Test
  void savesOnceForAllWhoWriteAtTheSameTime() {
    open();
    List<Future<Void>> all = new ArrayList<>();
    run(
        () -> {
          for (int i = 0; i < 250; i++) {
            Backing file = new Backing(Path.of("/img/d" + i + ".img"), false);
            all.add(backend.export(new Iqn(BASE + ":d" + i), file));
          }
          return Future.all(all);
        });
    assertEquals(250, lio.savedNames().size());
    assertEquals(1, lio.count("SAVED save"));
  }

  @Test
  void answersAWriteOnlyByASaveThatBeganAfterIt() {
    open();
    Promise<Void> gate = lio.hold("SAVED save");
    Future<Void> first = begin(() -> backend.export(A, FILE));
    awaitCommand("EXPORT " + A);
    Future<Void> second = begin(() -> backend.export(B, new Backing(Path.of("/img/b.img"), false)));
    awaitCommand("EXPORT " + B);
    assertFalse(second.isComplete());
    gate.complete();
    Future.all(first, second).await();
    assertEquals(List.of(A.value(), B.value()), lio.savedNames());
    assertEquals(2, lio.count("SAVED save"));
  }

  /** B04. */
  @Test
  void saysTargetExistsWhenTheKernelHasTheName() {
    open();
    lio.with(A.value(), "theirs", "/img/theirs.img");
    assertEquals(ErrorCode.TARGET_EXISTS, failure(() -> backend.export(A, FILE)).code());
    assertEquals("theirs=/img/theirs.img open", lio.describe(A.value()));
    assertTrue(on(() -> backend.knows(A)));
  }

  /** B43. */
  @Test
  void saysLookAtTheMountWhenTheContainerHasNoSuchFile() {
    open();
    lio.files(path -> false);
    AgentException failure = failure(() -> backend.export(A, FILE));
    assertEquals(ErrorCode.COMMAND_FAILED, failure.code());
    assertTrue(failure.getMessage().contains("mounted there, at the same path?"));
    assertEquals(List.of(), lio.names());
  }

  @Test
  void exportsNoImageASecondTime() {
    open();
    run(() -> backend.export(A, FILE));
    assertEquals(ErrorCode.BACKING_IN_USE, failure(() -> backend.export(B, FILE)).code());
  }

  /** B18: held by a forgotten interactive targetcli. */
  @Test
  void undoesAnExportThatCannotBeSavedAndNamesWhoHoldsTheLock() {
    open();
    lio.lockedBy("process 123 (targetcli)");
    AgentException failure = failure(() -> backend.export(A, FILE));
    assertEquals(ErrorCode.BACKEND_UNAVAILABLE, failure.code());
    assertTrue(
        failure
            .getMessage()
            .contains("/var/run/targetcli.lock is held by process 123 (targetcli)"));
    assertEquals(List.of(), lio.names());
    assertEquals(List.of(), lio.backstoreNames());
    lio.lockedBy(null);
    run(() -> backend.export(A, FILE));
  }

  /** B16: it ends well and has done nothing. */
  @Test
  void failsWhenTheTargetIsNotThereToBeSaved() {
    open();
    lio.answer("EXPORT", 0, "a\n", "");
    assertEquals(ErrorCode.COMMAND_FAILED, failure(() -> backend.export(A, FILE)).code());
    assertFalse(on(() -> backend.knows(A)));
    assertEquals(List.of(), lio.savedNames());
  }

  /** B17, B37: what ran past its limit is looked up before anything is undone. */
  @Test
  void undoesAnExportThatTookEffectAfterItsLimit() {
    open();
    lio.cutAfter("EXPORT");
    assertEquals(ErrorCode.COMMAND_TIMEOUT, failure(() -> backend.export(A, FILE)).code());
    assertEquals(List.of(), lio.names());
    assertEquals(List.of(), lio.backstoreNames());
    run(() -> backend.export(A, FILE));
  }

  /** B17: a kernel that hangs, for every command there is. */
  @Test
  void pilesNothingUpWhenEveryCommandRunsPastItsLimit() {
    open();
    for (int i = 0; i < 50; i++) {
      lio.cutBefore("EXPORT").cutBefore("REMOVE");
      int before = lio.commands().size();
      assertEquals(ErrorCode.COMMAND_TIMEOUT, failure(() -> backend.export(A, FILE)).code());
      assertTrue(lio.commands().size() - before <= 3, lio.commands()::toString);
    }
    lio.withoutFaults();
    run(() -> backend.export(A, FILE));
    assertEquals(List.of(A.value()), lio.names());
  }

  @Test
  void leavesAnothersTargetAloneAfterAnExportWithoutEffect() {
    open();
    lio.with(A.value(), "theirs", "/img/theirs.img").cutBefore("EXPORT");
    assertEquals(ErrorCode.COMMAND_TIMEOUT, failure(() -> backend.export(A, FILE)).code());
    assertEquals("theirs=/img/theirs.img open", lio.describe(A.value()));
  }

  @Test
  void takesASaveThatTookEffectAfterItsLimitForDone() {
    open();
    lio.cutAfter("SAVED save");
    run(() -> backend.export(A, FILE));
    assertEquals(List.of(A.value()), lio.savedNames());
  }

  @Test
  void undoesAnExportWhoseSaveHadNoEffect() {
    open();
    lio.cutBefore("SAVED save");
    assertEquals(ErrorCode.COMMAND_TIMEOUT, failure(() -> backend.export(A, FILE)).code());
    assertEquals(List.of(), lio.names());
    assertEquals(List.of(), lio.savedNames());
  }

  @Test
  void removesAnExportInDoubtAsSoonAsTheKernelAnswers() {
    open();
    lio.cutAfter("EXPORT").cutBefore("REMOVE");
    failure(() -> backend.export(A, FILE));
    assertEquals(List.of(A.value()), lio.names());
    assertFalse(on(() -> backend.knows(A)));
    assertEquals(List.of(), run(backend::list));
    assertEquals(List.of(), lio.names());
  }

  /** B15. */
  @Test
  void saysUnavailableWhenTheContainerIsDownAndChangesNothing() {
    open();
    run(() -> backend.export(A, FILE));
    lio.containerDown();
    assertEquals(ErrorCode.CONTAINER_UNAVAILABLE, failure(() -> backend.unexport(A, false)).code());
    assertEquals(ErrorCode.CONTAINER_UNAVAILABLE, failure(backend::list).code());
    lio.up();
    assertEquals("a=/img/a.img open", lio.describe(A.value()));
    run(() -> backend.unexport(A, false));
  }

  /** B15: targetcli's own words for a bus or a daemon that is not there. */
  @Test
  void saysUnavailableWhenTheToolCannotConnect() {
    open();
    lio.answer("SAVED save", 255, "", "g-io-error-quark: Could not connect (1)\n");
    assertEquals(ErrorCode.BACKEND_UNAVAILABLE, failure(() -> backend.export(A, FILE)).code());
    lio.answer("LIST", 8, "", "");
    assertEquals(ErrorCode.BACKEND_UNAVAILABLE, failure(backend::list).code());
  }

  @Test
  void forgetsATargetBeforeItIsRemoved() {
    open();
    run(() -> backend.export(A, FILE));
    int before = lio.commands().size();
    run(() -> backend.unexport(A, false));
    assertEquals(
        List.of("REFUSE " + A + " 0 boot-1", "SAVED save 15.0 -" + A, "REMOVE " + A + "  boot-1 a"),
        lio.commands().subList(before, lio.commands().size()));
    assertEquals(List.of(), lio.names());
    assertEquals(List.of(), lio.backstoreNames());
    assertFalse(on(() -> backend.knows(A)));
  }

  /** B03: LIO itself would cut the session without a word. */
  @Test
  void refusesToDeleteATargetInUse() {
    open();
    run(() -> backend.export(A, FILE));
    lio.withSession(A.value(), INITIATOR);
    AgentException failure = failure(() -> backend.unexport(A, false));
    assertEquals(ErrorCode.TARGET_IN_USE, failure.code());
    assertEquals(List.of(INITIATOR), failure.members().get("initiators"));
    assertEquals("a=/img/a.img open", lio.describe(A.value()));
    assertEquals(List.of(A.value()), lio.savedNames());
    run(() -> backend.unexport(A, true));
    assertEquals(List.of(), lio.names());
  }

  @Test
  void letsInitiatorsInAgainWhenADeletionCannotBeSaved() {
    open();
    run(() -> backend.export(A, FILE));
    lio.lockedBy("process 123 (targetcli)");
    assertEquals(ErrorCode.BACKEND_UNAVAILABLE, failure(() -> backend.unexport(A, false)).code());
    assertEquals("a=/img/a.img open", lio.describe(A.value()));
    assertTrue(on(() -> backend.knows(A)));
  }

  @Test
  void letsInitiatorsInAgainWhenAskingForSessionsRanPastItsLimit() {
    open();
    run(() -> backend.export(A, FILE));
    lio.cutAfter("REFUSE");
    assertEquals(ErrorCode.COMMAND_TIMEOUT, failure(() -> backend.unexport(A, false)).code());
    assertEquals("a=/img/a.img open", lio.describe(A.value()));
  }

  @Test
  void takesADeletionThatTookEffectAfterItsLimitForDone() {
    open();
    run(() -> backend.export(A, FILE));
    lio.cutAfter("REMOVE");
    run(() -> backend.unexport(A, false));
    assertFalse(on(() -> backend.knows(A)));
  }

  /** B14: the backstore was removed by hand, and its LUN went with it. */
  @Test
  void deletesATargetWithoutLun() {
    open();
    lio.with(A.value(), "a", null);
    run(() -> backend.unexport(A, false));
    assertEquals(List.of(), lio.names());
  }

  /** B14: the target was removed by hand, and its backstore was left. */
  @Test
  void cleansUpBehindATargetThatWasRemovedByHand() {
    open();
    run(() -> backend.export(A, FILE));
    lio.removeTarget(A.value());
    assertEquals(ErrorCode.TARGET_NOT_FOUND, failure(() -> backend.unexport(A, false)).code());
    assertEquals(List.of(), lio.backstoreNames());
    assertEquals(List.of(), lio.savedNames());
    run(() -> backend.export(A, FILE));
  }

  /** B23, and the restart of a node: what is saved is loaded before anything is written. */
  @Test
  void restoresWhatTheKernelLostAndNeedsNoScan() {
    open();
    run(() -> backend.export(A, FILE));
    lio.reboot();
    assertFalse(run(backend::alive));
    assertEquals(ErrorCode.RECOVERING, failure(backend::list).code());
    assertEquals(ErrorCode.RECOVERING, failure(() -> backend.unexport(A, false)).code());
    assertFalse(open());
    assertTrue(run(backend::alive));
    assertEquals("a=/img/a.img open", lio.describe(A.value()));
    assertTrue(on(() -> backend.knows(A)));
  }

  /** B23: the image directory is not mounted yet, and another write comes first. */
  @Test
  void keepsSavedTargetsWhoseImagesAreMissing() {
    open();
    run(() -> backend.export(A, FILE));
    lio.reboot();
    lio.files(path -> path.equals("/img/b.img"));
    assertFalse(open());
    run(() -> backend.export(B, new Backing(Path.of("/img/b.img"), false)));
    assertEquals(List.of(A.value(), B.value()), lio.savedNames());
    assertEquals(List.of(B.value()), lio.names());
  }

  /** B24. */
  @Test
  void restoresTheCopyWhenTheSavedConfigurationIsTorn() {
    open();
    run(() -> backend.export(A, FILE));
    lio.reboot();
    lio.tearSaved(false);
    assertFalse(open());
    assertEquals(List.of(A.value()), lio.names());
  }

  /** B24: the scan is the last resort. */
  @Test
  void needsAScanOnlyWhenTheKernelIsEmptyAndNothingCanBeRead() {
    open();
    run(() -> backend.export(A, FILE));
    lio.tearSaved(true);
    assertFalse(open());
    lio.reboot();
    lio.tearSaved(true);
    assertTrue(open());
  }

  /** B08: the kernel keeps the targets while its container is restarted. */
  @Test
  void losesNothingWhenTheContainerIsRestarted() {
    open();
    run(() -> backend.export(A, FILE));
    lio.up();
    assertFalse(run(backend::alive));
    assertEquals(1, run(backend::list).size());
    assertFalse(open());
    assertTrue(run(backend::alive));
    assertEquals(1, run(backend::list).size());
  }

  @Test
  void finishesWhatAKilledAgentBegan() {
    lio.with(A.value(), "a", null).withBackstore("lost", "/img/lost.img");
    lio.with(B.value(), "b", "/img/b.img").shut(B.value());
    lio.with("iqn.2020-01.org.other:empty", "x", null).withBackstore("theirs", "/data/t.img");
    open();
    assertEquals(List.of("iqn.2020-01.org.other:empty", B.value()), lio.names());
    assertEquals("b=/img/b.img open", lio.describe(B.value()));
    assertTrue(lio.savedNames().contains(B.value()));
    assertEquals(List.of("b", "theirs"), lio.backstoreNames());
  }

  @Test
  void doesNotTakeACreationInProgressForUnfinished() {
    open();
    Promise<Void> gate = lio.hold("EXPORT");
    Future<Void> export = begin(() -> backend.export(A, FILE));
    lio.withBackstore("a", "/img/a.img").with(A.value(), "a", null);
    open();
    assertEquals(List.of(A.value()), lio.names());
    assertEquals(List.of("a"), lio.backstoreNames());
    gate.complete();
    assertThrows(AgentException.class, export::await);
  }

  /** B35: a list without its end is no list. */
  @Test
  void asksAgainWhenTheListIsNotWhole() {
    open();
    run(() -> backend.export(A, FILE));
    lio.answer("LIST", 0, "boot-1\n", "");
    assertEquals(1, run(backend::list).size());
    lio.answer("LIST", 0, "", "").answer("LIST", 0, "boot-1\nT " + A + "\n", "");
    assertEquals(ErrorCode.COMMAND_FAILED, failure(backend::list).code());
  }

  @Test
  void sharesOneListingAmongThoseWhoWait() {
    open();
    run(() -> backend.export(A, FILE));
    Promise<Void> gate = lio.hold("LIST");
    begin(backend::list);
    Future<List<Target>> second = begin(backend::list);
    Future<List<Target>> third = begin(backend::list);
    gate.complete();
    assertSame(second.await(), third.await());
  }

  @Test
  void saysRecoveringBeforeItWasOpened() {
    assertEquals(ErrorCode.RECOVERING, failure(backend::list).code());
    assertEquals(ErrorCode.RECOVERING, failure(() -> backend.export(A, FILE)).code());
  }

  @Test
  void refusesNamesThatTargetcliCannotCarry() {
    assertTrue(backend.refusal("a b.img").isPresent());
    assertTrue(backend.refusal("a,b.img").isPresent());
    assertTrue(backend.refusal("é.img").isPresent());
    assertTrue(backend.refusal("a".repeat(247) + ".img").isPresent());
    assertFalse(backend.refusal("a".repeat(246) + ".img").isPresent());
    assertFalse(backend.refusal("Win-11_(x64)+v2~1.img").isPresent());
  }

  private void awaitCommand(String prefix) {
    while (lio.count(prefix) == 0) {
      Thread.onSpinWait();
    }
  }

  private boolean open() {
    return run(backend::open).needsScan();
  }

  private AgentException failure(Supplier<? extends Future<?>> action) {
    Future<?> future = on(action::get);
    return assertThrows(AgentException.class, future::await);
  }

  private <T> T run(Supplier<? extends Future<T>> action) {
    return begin(action).await();
  }

  private <T> Future<T> begin(Supplier<? extends Future<T>> action) {
    return on(action::get);
  }

  private <T> T on(Callable<T> action) {
    return OnContext.run(context, action);
  }
}
