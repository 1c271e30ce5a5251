package io.incudal.agent.target.stgt;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.incudal.agent.bus.AgentException;
import io.incudal.agent.bus.ErrorCode;
import io.incudal.agent.config.BackendConfig;
import io.incudal.agent.target.Backing;
import io.incudal.agent.target.Iqn;
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
import java.util.HashSet;
import java.util.List;
import java.util.OptionalInt;
import java.util.concurrent.Callable;
import java.util.function.Supplier;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

@ExtendWith(VertxExtension.class)
class StgtBackendTest {
  private static final String BASE = "iqn.2026-07.com.controller";
  private static final Iqn A = new Iqn(BASE + ":a");
  private static final Iqn B = new Iqn(BASE + ":b");
  private static final Backing FILE = new Backing(Path.of("/img/a.img"), false);

  private final FakeTgtd tgtd = new FakeTgtd().files(path -> true);
  private Context context;
  private StgtBackend backend;

  @BeforeEach
  void create(Vertx vertx) {
    context = vertx.getOrCreateContext();
    var config =
        new BackendConfig(
            BackendConfig.Kind.STGT,
            BackendConfig.Executor.LOCAL,
            "",
            "",
            Duration.ofSeconds(30),
            OptionalInt.empty(),
            true,
            false);
    backend = new StgtBackend(vertx, tgtd, config, BASE);
  }

  @Test
  void exportsWithTheThreeCommandsAndNothingElse() {
    open();
    int before = tgtd.commands().size();
    run(() -> backend.export(A, FILE));
    String tgtadm = "tgtadm --lld iscsi --mode ";
    assertEquals(
        List.of(
            tgtadm + "target --op new --tid 1 --targetname " + A,
            tgtadm + "logicalunit --op new --tid 1 --lun 1 --backing-store /img/a.img",
            tgtadm + "target --op bind --tid 1 --initiator-address ALL"),
        tgtd.commands().subList(before, tgtd.commands().size()));
    assertTrue(on(() -> backend.knows(A)));
  }

  @Test
  void exportsAnIsoAsACd() {
    open();
    run(() -> backend.export(A, new Backing(Path.of("/img/a.iso"), true)));
    assertEquals("{1=/img/a.iso} open cd", tgtd.describe(A.value()));
  }

  /** B10: many at once get numbers of their own, and none is used again right away. */
  @Test
  void givesParallelExportsDistinctTids() {
    open();
    List<Future<Void>> all = new ArrayList<>();
    for (int i = 0; i < 20; i++) {
      Iqn iqn = new Iqn(BASE + ":d" + i);
      all.add(begin(() -> backend.export(iqn, FILE)));
    }
    Future.all(all).await();
    assertEquals(20, new HashSet<>(tgtd.tids()).size());
    run(() -> backend.unexport(new Iqn(BASE + ":d7"), false));
    run(() -> backend.export(A, FILE));
    assertEquals(21, tgtd.tids().get(19));
  }

  @Test
  void takesAnotherTidWhenSomebodyElseTookIt() {
    open();
    tgtd.with(1, "iqn.2020-01.org.other:x").with(2, "iqn.2020-01.org.other:y");
    run(() -> backend.export(A, FILE));
    assertEquals(List.of(1, 2, 3), tgtd.tids());
    assertEquals("{1=/img/a.img} open", tgtd.describe(A.value()));
  }

  /** B04: a target made behind the agent's back is found by the daemon's refusal. */
  @Test
  void saysTargetExistsWhenTheDaemonHasTheName() {
    open();
    tgtd.with(5, A.value(), "/img/theirs.img");
    assertFalse(on(() -> backend.knows(A)));
    assertEquals(ErrorCode.TARGET_EXISTS, failure(() -> backend.export(A, FILE)).code());
    assertEquals("{1=/img/theirs.img} open", tgtd.describe(A.value()));
    assertTrue(on(() -> backend.knows(A)));
  }

  /** B43: the file is there for the agent and not for the daemon. */
  @Test
  void saysLookAtTheMountWhenTheDaemonDoesNotFindTheFile() {
    open();
    tgtd.files(path -> false);
    AgentException failure = failure(() -> backend.export(A, FILE));
    assertEquals(ErrorCode.COMMAND_FAILED, failure.code());
    assertEquals(
        "tgtadm failed with exit code 22: tgtadm: invalid request (is the image directory mounted"
            + " in the iSCSI container under the same path, and may tgtd open the file?)",
        failure.getMessage());
    assertEquals(List.of(), tgtd.names());
    assertFalse(on(() -> backend.knows(A)));
  }

  @Test
  void leavesNoTargetBehindWhenTheDaemonIsOutOfMemory() {
    open();
    tgtd.answer("logicalunit", 22, "tgtadm: out of memory\n");
    assertTrue(failure(() -> backend.export(A, FILE)).getMessage().contains("out of memory"));
    assertEquals(List.of(), tgtd.names());
    run(() -> backend.export(A, FILE));
  }

  @Test
  void leavesNoTargetBehindWhenItCannotBeOpenedToAll() {
    open();
    tgtd.answer("bind", 22, "tgtadm: this access control rule already exists\n");
    assertEquals(ErrorCode.COMMAND_FAILED, failure(() -> backend.export(A, FILE)).code());
    assertEquals(List.of(), tgtd.names());
  }

  @Test
  void saysUnavailableWhenTheDaemonDoesNotAnswer() {
    open();
    tgtd.daemonDown();
    assertEquals(ErrorCode.BACKEND_UNAVAILABLE, failure(() -> backend.export(A, FILE)).code());
    assertEquals(ErrorCode.BACKEND_UNAVAILABLE, failure(backend::list).code());
    assertEquals(ErrorCode.BACKEND_UNAVAILABLE, failure(() -> backend.unexport(A, false)).code());
    assertEquals(ErrorCode.BACKEND_UNAVAILABLE, failure(backend::alive).code());
  }

  /** B37: the command is cut off and has taken effect all the same. */
  @Test
  void undoesAnExportThatTookEffectAfterItsLimit() {
    open();
    tgtd.cutAfter("--targetname");
    assertEquals(ErrorCode.COMMAND_TIMEOUT, failure(() -> backend.export(A, FILE)).code());
    assertEquals(List.of(), tgtd.names());
    run(() -> backend.export(A, FILE));
    assertEquals(List.of(A.value()), tgtd.names());
  }

  /** B42: a container that is paused swallows the command; the look after it tells why. */
  @Test
  void saysWhyACommandTookTooLong() {
    open();
    tgtd.cutBefore("--targetname");
    Promise<Void> look = tgtd.hold("target --op show");
    Future<Void> export = begin(() -> backend.export(A, FILE));
    tgtd.containerDown();
    look.complete();
    assertEquals(
        ErrorCode.CONTAINER_UNAVAILABLE, assertThrows(AgentException.class, export::await).code());
  }

  @Test
  void doesNotTouchAnothersTargetAfterAnExportWithoutEffect() {
    open();
    tgtd.cutBefore("--targetname");
    Promise<Void> gate = tgtd.hold("target --op show");
    Future<Void> export = begin(() -> backend.export(A, FILE));
    tgtd.with(1, "iqn.2020-01.org.other:x");
    gate.complete();
    assertThrows(AgentException.class, export::await);
    assertEquals(List.of("iqn.2020-01.org.other:x"), tgtd.names());
  }

  /** B37: nobody could look at the state then; so it is looked at as soon as that is possible. */
  @Test
  void removesAnExportInDoubtAsSoonAsTheDaemonAnswers() {
    open();
    tgtd.cutAfter("--targetname").cutBefore("target --op show");
    assertEquals(ErrorCode.COMMAND_TIMEOUT, failure(() -> backend.export(A, FILE)).code());
    assertEquals(List.of(A.value()), tgtd.names());
    assertTrue(run(backend::alive));
    assertEquals(List.of(), tgtd.names());
  }

  @Test
  void retriesAnExportInDoubtCleanly() {
    open();
    tgtd.cutAfter("--targetname").cutBefore("target --op show");
    failure(() -> backend.export(A, FILE));
    run(() -> backend.export(A, FILE));
    assertEquals(List.of(A.value()), tgtd.names());
    assertEquals(List.of(2), tgtd.tids());
  }

  @Test
  void neverListsATargetInDoubt() {
    open();
    tgtd.with(7, B.value(), "/img/b.img");
    tgtd.cutAfter("--targetname").cutBefore("target --op show");
    failure(() -> backend.export(A, FILE));
    assertEquals(List.of(B.value()), names(run(backend::list)));
  }

  @Test
  void listsTargetsOfOthersAsTheySpellThem() {
    tgtd.with(3, "IQN.2020-01.org.Other:X", "/srv/x.img");
    open();
    Target other = run(backend::list).get(0);
    assertEquals("IQN.2020-01.org.Other:X", other.iqn());
    assertEquals(OptionalInt.of(3), other.tid());
    assertEquals(2, other.luns().size());
  }

  @Test
  void sharesOneListingAmongThoseWhoWait() {
    open();
    Promise<Void> gate = tgtd.hold("target --op show");
    Future<List<Target>> first = begin(backend::list);
    List<Future<List<Target>>> later = new ArrayList<>();
    for (int i = 0; i < 10; i++) {
      later.add(begin(backend::list));
    }
    gate.complete();
    first.await();
    List<Target> shared = later.get(0).await();
    later.forEach(listing -> assertSame(shared, listing.await()));
    assertEquals(3, tgtd.count("target --op show"));
  }

  /** B35: a command ends well and its output is lost. */
  @Test
  void asksAgainWhenTheOutputWasLost() {
    tgtd.with(1, A.value(), "/img/a.img");
    tgtd.loseOutput("target --op show");
    open();
    tgtd.loseOutput("target --op show");
    assertEquals(List.of(A.value()), names(run(backend::list)));
  }

  @Test
  void failsRatherThanToSayNothingWhenTheOutputIsLostAgain() {
    tgtd.with(1, A.value(), "/img/a.img");
    open();
    tgtd.loseOutput("target --op show").loseOutput("target --op show");
    assertEquals(ErrorCode.COMMAND_FAILED, failure(backend::list).code());
  }

  /** B35, in a container that cannot tell which daemon answers. */
  @Test
  void doesNotBelieveAnEmptyListingWithoutKnowingTheDaemon() {
    tgtd.withoutIdentity().with(1, A.value(), "/img/a.img");
    open();
    tgtd.answer("target --op show", 0, "");
    assertEquals(List.of(A.value()), names(run(backend::list)));
    tgtd.restartDaemon();
    assertEquals(ErrorCode.RECOVERING, failure(backend::list).code());
    assertFalse(run(backend::alive));
  }

  @Test
  void believesThatOthersRemovedTheLastTarget() {
    tgtd.with(1, A.value(), "/img/a.img");
    open();
    tgtd.without(A.value());
    assertEquals(List.of(), run(backend::list));
    assertFalse(on(() -> backend.knows(A)));
  }

  /** B07, B08: a daemon that was started anew is never taken for an empty one. */
  @Test
  void saysRecoveringWhenTheDaemonWasStartedAnew() {
    tgtd.with(1, A.value(), "/img/a.img");
    assertTrue(open());
    assertTrue(run(backend::alive));
    tgtd.restartDaemon();
    assertEquals(ErrorCode.RECOVERING, failure(backend::list).code());
    assertFalse(run(backend::alive));
    assertTrue(open());
    assertTrue(run(backend::alive));
    assertEquals(List.of(), run(backend::list));
    assertFalse(on(() -> backend.knows(A)));
  }

  @Test
  void needsNoScanWhenTheSameDaemonIsOpenedAgain() {
    assertTrue(open());
    tgtd.containerDown();
    assertEquals(ErrorCode.CONTAINER_UNAVAILABLE, failure(backend::alive).code());
    tgtd.unpause();
    assertTrue(run(backend::alive));
    assertFalse(open());
  }

  @Test
  void saysRecoveringBeforeItWasOpened() {
    assertEquals(ErrorCode.RECOVERING, failure(backend::list).code());
    assertFalse(run(backend::alive));
  }

  @Test
  void deletesATargetThatNobodyUses() {
    tgtd.with(4, A.value(), "/img/a.img");
    open();
    run(() -> backend.unexport(A, false));
    assertEquals(List.of(), tgtd.names());
    assertFalse(on(() -> backend.knows(A)));
    assertEquals(ErrorCode.TARGET_NOT_FOUND, failure(() -> backend.unexport(A, false)).code());
  }

  /** B01, B03: nothing changes, and the answer names who is logged in. */
  @Test
  void refusesToDeleteATargetInUse() {
    tgtd.with(4, A.value(), "/img/a.img");
    open();
    tgtd.login(A.value(), "iqn.2026-07.com.host:boot01");
    AgentException failure = failure(() -> backend.unexport(A, false));
    assertEquals(ErrorCode.TARGET_IN_USE, failure.code());
    assertEquals(List.of("iqn.2026-07.com.host:boot01"), failure.members().get("initiators"));
    assertTrue(failure.getMessage().contains("iqn.2026-07.com.host:boot01 (10.0.0.7)"));
    assertEquals("{1=/img/a.img} open", tgtd.describe(A.value()));
    tgtd.logout(A.value());
    run(() -> backend.unexport(A, false));
  }

  @Test
  void cutsSessionsOnlyWhenTold() {
    tgtd.with(4, A.value(), "/img/a.img");
    open();
    tgtd.login(A.value(), "iqn.2026-07.com.host:boot01");
    run(() -> backend.unexport(A, true));
    assertEquals(List.of(), tgtd.names());
  }

  /** B07: nothing is pulled from under an initiator, and those cut off cannot come back. */
  @Test
  void endsEachSessionBeforeTheTargetGoes() {
    tgtd.with(4, A.value(), "/img/a.img");
    open();
    tgtd.login(A.value(), "iqn.2026-07.com.host:boot01");
    tgtd.login(A.value(), "iqn.2026-07.com.host:boot02");
    int before = tgtd.commands().size();
    tgtd.answer("target --op delete", 22, "tgtadm: this logical unit is still active\n");
    run(() -> backend.unexport(A, true));
    assertEquals(
        List.of(
            "target --op delete --tid 4",
            "target --op unbind --tid 4 --initiator-address ALL",
            "conn --op show --tid 4",
            "conn --op delete --tid 4 --sid 1 --cid 0",
            "conn --op delete --tid 4 --sid 1 --cid 0",
            "target --op delete --tid 4"),
        tgtd.commands().stream().skip(before).map(line -> line.split("--mode ")[1]).toList());
    assertEquals(0, tgtd.count("--force"));
  }

  @Test
  void opensATargetAgainWhoseSessionsDoNotEnd() {
    tgtd.with(4, A.value(), "/img/a.img");
    open();
    tgtd.login(A.value(), "iqn.2026-07.com.host:boot01");
    tgtd.cutBefore("conn --op show");
    assertEquals(ErrorCode.COMMAND_TIMEOUT, failure(() -> backend.unexport(A, true)).code());
    assertEquals("{1=/img/a.img} open", tgtd.describe(A.value()));
  }

  /** B01: the last session has just ended. */
  @Test
  void triesAgainWhenActiveWithoutASession() {
    tgtd.with(4, A.value(), "/img/a.img");
    open();
    tgtd.answer("target --op delete", 22, "tgtadm: this target is still active\n");
    run(() -> backend.unexport(A, false));
    assertEquals(List.of(), tgtd.names());
    assertEquals(2, tgtd.count("target --op delete"));
  }

  @Test
  void givesUpOnATargetThatStaysActive() {
    tgtd.with(4, A.value(), "/img/a.img");
    open();
    for (int i = 0; i < 10; i++) {
      tgtd.answer("target --op delete", 22, "tgtadm: this target is still active\n");
    }
    assertEquals(ErrorCode.COMMAND_FAILED, failure(() -> backend.unexport(A, false)).code());
    assertEquals(List.of(A.value()), tgtd.names());
  }

  @Test
  void deletesByNameWhenTheTidHasChanged() {
    tgtd.with(4, A.value(), "/img/a.img");
    open();
    tgtd.without(A.value()).with(9, A.value(), "/img/a.img");
    run(() -> backend.unexport(A, false));
    assertEquals(List.of(), tgtd.names());
  }

  @Test
  void sendsDeletionsThatWaitTogetherAndAnswersEachByItself() {
    for (int i = 0; i < 30; i++) {
      tgtd.with(i + 1, BASE + ":d" + i, "/img/d" + i + ".img");
    }
    open();
    tgtd.login(BASE + ":d9", "iqn.2026-07.com.host:boot01");
    tgtd.without(BASE + ":d20");
    List<Future<Void>> all = new ArrayList<>();
    for (int i = 0; i < 30; i++) {
      Iqn iqn = new Iqn(BASE + ":d" + i);
      all.add(begin(() -> backend.unexport(iqn, false)));
    }
    Future.join(all).transform(done -> Future.succeededFuture()).await();
    assertEquals(List.of(BASE + ":d9"), tgtd.names());
    assertEquals(28, all.stream().filter(Future::succeeded).count());
    var inUse = assertThrows(AgentException.class, all.get(9)::await);
    assertEquals(ErrorCode.TARGET_IN_USE, inUse.code());
    var missing = assertThrows(AgentException.class, all.get(20)::await);
    assertEquals(ErrorCode.TARGET_NOT_FOUND, missing.code());
  }

  @Test
  void looksAtEachOfTheDeletionsThatWereCutOffTogether() {
    for (int i = 0; i < 10; i++) {
      tgtd.with(i + 1, BASE + ":d" + i, "/img/d" + i + ".img");
    }
    open();
    Promise<Void> first = tgtd.hold("delete --tid 1");
    Promise<Void> second = tgtd.hold("delete --tid 2");
    tgtd.cutAfter("delete --tid 3");
    List<Future<Void>> all = new ArrayList<>();
    for (int i = 0; i < 10; i++) {
      Iqn iqn = new Iqn(BASE + ":d" + i);
      all.add(begin(() -> backend.unexport(iqn, false)));
    }
    first.complete();
    second.complete();
    Future.all(all).await();
    assertEquals(List.of(), tgtd.names());
  }

  @Test
  void takesADeletionThatTookEffectAfterItsLimitForDone() {
    tgtd.with(4, A.value(), "/img/a.img");
    open();
    tgtd.cutAfter("target --op delete");
    run(() -> backend.unexport(A, false));
    assertFalse(on(() -> backend.knows(A)));
  }

  @Test
  void saysTimeoutWhenADeletionHadNoEffect() {
    tgtd.with(4, A.value(), "/img/a.img");
    open();
    tgtd.cutBefore("target --op delete");
    assertEquals(ErrorCode.COMMAND_TIMEOUT, failure(() -> backend.unexport(A, false)).code());
    assertTrue(on(() -> backend.knows(A)));
  }

  /** What an agent leaves that was killed in the middle of a creation. */
  @Test
  void finishesWhatAKilledAgentBegan() {
    tgtd.with(1, A.value());
    tgtd.withUnbound(2, B.value(), "/img/b.img");
    tgtd.with(3, "iqn.2020-01.org.other:empty");
    open();
    assertEquals(List.of(B.value(), "iqn.2020-01.org.other:empty"), tgtd.names());
    assertEquals("{1=/img/b.img} open", tgtd.describe(B.value()));
    assertFalse(on(() -> backend.knows(A)));
  }

  @Test
  void doesNotTakeACreationInProgressForUnfinished() {
    open();
    tgtd.restartDaemon();
    Promise<Void> gate = tgtd.hold("--targetname");
    Future<Void> export = begin(() -> backend.export(A, FILE));
    tgtd.with(1, A.value());
    open();
    assertEquals(List.of(A.value()), tgtd.names());
    gate.complete();
    assertThrows(AgentException.class, export::await);
  }

  @Test
  void refusesNamesThatTgtadmCannotCarry() {
    assertTrue(backend.refusal("a,b.img").isPresent());
    assertFalse(backend.refusal("a b'\"é$(x);=\\%n.img").isPresent());
  }

  private boolean open() {
    return run(backend::open).needsScan();
  }

  private static List<String> names(List<Target> targets) {
    return targets.stream().map(Target::iqn).toList();
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
