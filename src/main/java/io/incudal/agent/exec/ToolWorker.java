package io.incudal.agent.exec;

/**
 * Runs one command at a time, on the one thread that it belongs to, which it blocks. {@link
 * PooledToolRunner} gives it its work.
 */
interface ToolWorker {
  /** Whether {@link #prepare} has nothing to do, as far as is known. Any thread. */
  boolean ready();

  /**
   * Makes ready for a command: reaches what the tools run in, and ends what is left of earlier
   * commands.
   *
   * @throws io.incudal.agent.bus.AgentException when that fails; nothing was begun
   */
  void prepare();

  /**
   * Runs a command, after {@link #prepare}.
   *
   * @throws io.incudal.agent.bus.AgentException when its outcome is unknown
   */
  ToolResult run(ToolCommand command);

  /** Identity of what the tools run in; known once a worker was ready. Any thread. */
  String instance();

  void close();
}
