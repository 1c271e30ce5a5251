package io.incudal.agent.exec;

import io.incudal.agent.bus.ErrorCode;
import java.time.Duration;
import java.util.Optional;

/**
 * Hears what becomes of commands and sessions; made for counting. Called on the tools' own threads;
 * must neither block nor throw.
 */
public interface ToolListener {
  /** Hears nothing. */
  ToolListener NONE = new ToolListener() {};

  /**
   * A command that was taken ended, or could not begin.
   *
   * @param took from its start, without the time it waited for its turn; zero when it did not begin
   * @param failure empty when its steps ran to an end, whatever their exit code
   */
  default void commandEnded(Duration took, Optional<ErrorCode> failure) {}

  /**
   * A session into the container was opened.
   *
   * @param again whether it takes the place of one that was lost
   */
  default void sessionOpened(boolean again) {}
}
