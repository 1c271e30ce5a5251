package io.incudal.agent.upgrade;

import static io.incudal.agent.upgrade.ServiceManager.Activity.BETWEEN;
import static io.incudal.agent.upgrade.ServiceManager.Activity.FAILED;
import static io.incudal.agent.upgrade.ServiceManager.Activity.STOPPED;
import static io.incudal.agent.upgrade.ServiceManager.Activity.UP;
import static io.incudal.agent.upgrade.WatchJudge.Verdict.ASK_PANEL;
import static io.incudal.agent.upgrade.WatchJudge.Verdict.GIVE_UP;
import static io.incudal.agent.upgrade.WatchJudge.Verdict.ROLL_BACK_DEAD;
import static io.incudal.agent.upgrade.WatchJudge.Verdict.ROLL_BACK_MUTE;
import static io.incudal.agent.upgrade.WatchJudge.Verdict.WAIT;
import static org.junit.jupiter.api.Assertions.assertEquals;

import java.time.Duration;
import org.junit.jupiter.api.Test;

/** B90: what dies, hangs or stays unheard goes; what only has a panel in trouble stays. */
class WatchJudgeTest {
  private static final Duration WINDOW = Duration.ofMinutes(5);

  private final WatchJudge judge = new WatchJudge(WINDOW, 0);

  @Test
  void rollsBackAtTheThirdDeath() {
    assertEquals(WAIT, look(UP, 0, 1));
    assertEquals(WAIT, look(BETWEEN, 0, 2));
    assertEquals(WAIT, look(UP, 1, 8));
    assertEquals(WAIT, look(BETWEEN, 1, 9));
    assertEquals(ROLL_BACK_DEAD, look(BETWEEN, 2, 16));
  }

  @Test
  void countsDeathsThatItDidNotSee() {
    assertEquals(WAIT, look(UP, 2, 5));
    assertEquals(ROLL_BACK_DEAD, look(UP, 3, 6));
  }

  @Test
  void forgetsWhatDiedBeforeTheUpgrade() {
    var judge = new WatchJudge(WINDOW, 40);
    assertEquals(WAIT, judge.look(state(UP, 40), seconds(0)));
    assertEquals(WAIT, judge.look(state(UP, 0), seconds(1)));
    assertEquals(WAIT, judge.look(state(UP, 2), seconds(2)));
    assertEquals(ROLL_BACK_DEAD, judge.look(state(UP, 3), seconds(3)));
  }

  @Test
  void rollsBackWhenSystemdHasGivenUp() {
    assertEquals(WAIT, look(FAILED, 0, 1));
    assertEquals(WAIT, look(FAILED, 0, 2));
    assertEquals(ROLL_BACK_DEAD, look(FAILED, 0, 3));
  }

  @Test
  void takesTheHalvesOfARestartForNoFailure() {
    assertEquals(WAIT, look(FAILED, 0, 1));
    assertEquals(WAIT, look(UP, 0, 2));
    assertEquals(WAIT, look(FAILED, 0, 3));
    assertEquals(WAIT, look(UP, 0, 4));
  }

  @Test
  void asksThePanelWhenTheWindowHasPassed() {
    assertEquals(WAIT, look(UP, 0, 299));
    assertEquals(ASK_PANEL, look(UP, 0, 300));
    assertEquals(ROLL_BACK_MUTE, judge.answered(true, seconds(301)));
  }

  @Test
  void waitsOnWhileThePanelHearsNeitherVersion() {
    assertEquals(ASK_PANEL, look(UP, 0, 300));
    assertEquals(WAIT, judge.answered(false, seconds(300)));
    assertEquals(WAIT, look(UP, 0, 359));
    assertEquals(ASK_PANEL, look(UP, 0, 360));
  }

  @Test
  void leavesAServiceAloneThatWasStoppedOnPurpose() {
    assertEquals(WAIT, look(STOPPED, 0, 3600));
  }

  @Test
  void givesUpByItself() {
    assertEquals(GIVE_UP, look(UP, 0, Duration.ofHours(25).toSeconds()));
  }

  private WatchJudge.Verdict look(ServiceManager.Activity activity, int restarts, long second) {
    return judge.look(state(activity, restarts), seconds(second));
  }

  private static ServiceManager.ServiceState state(ServiceManager.Activity activity, int restarts) {
    return new ServiceManager.ServiceState(activity, restarts);
  }

  private static Duration seconds(long seconds) {
    return Duration.ofSeconds(seconds);
  }
}
