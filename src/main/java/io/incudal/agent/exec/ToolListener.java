package io.incudal.agent.exec;

import java.time.Duration;

/**
 * Hears what becomes of commands and sessions; made for counting. Called on the tools' own threads;
 * must neither block nor throw.
 */
public interface ToolListener {
  /** Hears nothing. */
  ToolListener NONE = new ToolListener() {};

  /** A command that was taken ended, or could not begin. */
  default void commandEnded(Ended command) {}

  /**
   * @param tool its name, the first word of the command
   * @param waited for its turn
   * @param took from its start; zero when it did not begin
   * @param outcome {@code ok}, {@code refused} when a step exited with another code than 0, or the
   *     word of the failure
   */
  record Ended(String tool, Duration waited, Duration took, String outcome) {}

  /**
   * A session into the container was opened.
   *
   * @param again whether it takes the place of one that was lost
   */
  default void sessionOpened(boolean again) {}
}
