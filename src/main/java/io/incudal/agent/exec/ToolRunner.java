package io.incudal.agent.exec;

import io.vertx.core.Future;

/**
 * Runs tools beside the target daemon: inside the iSCSI container, or on this machine.
 *
 * <p>Thread-safe. Never blocks; replies complete on the caller's context.
 */
public interface ToolRunner {
  /**
   * Runs the steps of a command one after another and stops at the first that does not exit with 0.
   *
   * <p>Fails with {@code CONTAINER_UNAVAILABLE} or {@code DOCKER_UNAVAILABLE} when no step was
   * begun, or when the way to the tool broke while one ran; with {@code COMMAND_TIMEOUT} when the
   * command ran past its limit. In the last two cases its outcome is unknown, and the tool's
   * process has been ended, or is ended before the next command begins: look at the real state
   * before undoing anything.
   */
  Future<ToolResult> run(ToolCommand command);

  /**
   * Identity of what the tools run in, which changes with every restart of it: the container's id
   * and start time. Fails like {@link #run}.
   */
  Future<String> instance();

  /** Lets running commands end, then frees everything; later calls fail with {@code STOPPING}. */
  Future<Void> close();
}
