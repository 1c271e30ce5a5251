package io.incudal.agent.exec;

import java.time.Duration;

/**
 * Where the shells of tool sessions run. Thread-safe; its methods block, and so are called on the
 * tools' own threads only.
 */
interface ShellHost {
  /**
   * Starts {@link SessionProtocol#argv} with {@link SessionProtocol#environment}.
   *
   * @throws io.incudal.agent.bus.AgentException when it cannot be started within the limit; nothing
   *     of it is left then
   */
  ShellLink open(String tag, ShellSink sink, Duration limit);

  /** For messages, such as {@code container "iscsi"}. */
  String name();

  /** Frees everything; links are closed before. */
  void close();

  /** The way to one shell. */
  interface ShellLink {
    /** Identity of what the shell runs in; changes when that is restarted. */
    String instance();

    /** Queues bytes for the shell's standard input; never blocks. */
    void send(byte[] bytes);

    /** Cuts the way and frees it, at once and whatever the other end does; may be repeated. */
    void close();
  }

  /** What comes from a shell. Called on one thread at a time, which it must not hold up. */
  interface ShellSink {
    /** The array belongs to the caller again when this returns. */
    void stdout(byte[] chunk);

    /** The array belongs to the caller again when this returns. */
    void stderr(byte[] chunk);

    /** Nothing will come any more. */
    void ended();
  }
}
