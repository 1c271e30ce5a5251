package io.incudal.agent.target;

import io.vertx.core.Future;
import java.util.List;
import java.util.Optional;

/**
 * What a target daemon can do; one implementation for each dialect.
 *
 * <p>All methods are called on the worker verticle's context, never block, and complete on it.
 * Operations on one IQN never overlap (the caller sees to it); those on different IQNs may. Every
 * failure is an {@code AgentException}: of the tool runner, {@code COMMAND_FAILED}, or as said.
 */
public interface TargetBackend {
  /**
   * The daemon's targets at or after the moment of the call. Callers that wait at the same time
   * share one listing, the same instance. Never an unverified "nothing": an empty listing of a
   * daemon that had targets is asked for again. Fails with {@code RECOVERING} when the daemon is
   * not the one that {@link #open} found, so that its targets may be missing.
   */
  Future<List<Target>> list();

  /**
   * Whether a target of this name exists, as far as is known without asking the daemon: from the
   * last listing and what was done since. Names are compared folded to lower case.
   */
  boolean knows(Iqn iqn);

  /**
   * Why a file of this name cannot be exported: the daemon's tool could not carry it as one plain
   * argument. Empty when it can.
   */
  Optional<String> refusal(String fileName);

  /**
   * Makes the target with its LUN, ready for every initiator, and saved where the daemon saves;
   * leaves nothing behind when it fails. Fails with {@code TARGET_EXISTS} when the daemon has the
   * name already.
   */
  Future<Void> export(Iqn iqn, Backing backing);

  /**
   * Removes the target and whatever belongs to it, but no backing file. Fails with {@code
   * TARGET_NOT_FOUND}, or with {@code TARGET_IN_USE} and a member {@code initiators} when an
   * initiator is logged in and {@code endSessions} is not set; nothing has changed then.
   */
  Future<Void> unexport(Iqn iqn, boolean endSessions);

  /**
   * Opens the way to the daemon, and makes it hold what it is to hold after a restart; to be called
   * again after each loss.
   */
  Future<Opened> open();

  /**
   * A cheap look whether the daemon still answers, and still is the one that {@link #open} found:
   * {@code false} means that it was restarted and may have lost its targets.
   */
  Future<Boolean> alive();

  /** Ends running commands' wait and closes the way to the daemon. */
  Future<Void> close();

  /**
   * What {@link #open} found.
   *
   * @param needsScan whether the image directory has to be scanned to bring the targets back
   */
  record Opened(boolean needsScan) {}
}
