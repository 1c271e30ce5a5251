package io.incudal.agent.exec;

import io.incudal.agent.bus.AgentException;
import io.incudal.agent.bus.ErrorCode;
import io.incudal.agent.exec.ToolSession.Debt;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What the sessions into one container have in common: how they are opened, what earlier ones have
 * left running there, and the container's latest instance. Thread-safe; blocks its callers, the
 * tools' own threads.
 */
final class ShellKeeper {
  private static final Logger LOG = LoggerFactory.getLogger(ShellKeeper.class);

  /** For so long nobody tries again to end what does not die; it costs seconds. */
  private static final long STUCK_PAUSE = TimeUnit.SECONDS.toNanos(5);

  private final ShellHost host;
  private final SessionSettings settings;
  private final ToolListener listener;
  private final List<Debt> owed = new CopyOnWriteArrayList<>();
  private final ReentrantLock settling = new ReentrantLock();
  private volatile String instance;
  // The last failure to end something, and when; guarded by settling.
  private AgentException stuck;
  private long stuckSince;

  ShellKeeper(ShellHost host, SessionSettings settings, ToolListener listener) {
    this.host = host;
    this.settings = settings;
    this.listener = listener;
  }

  String name() {
    return host.name();
  }

  /** Of the session opened last. */
  String instance() {
    return instance;
  }

  ToolSession open(boolean again) {
    ToolSession session = ToolSession.open(host, settings.openLimit(), settings.outputLimit());
    instance = session.instance();
    listener.sessionOpened(again);
    LOG.info("tool session opened in={} instance={} again={}", name(), instance, again);
    return session;
  }

  /** Whether {@link #settle} has something to end. */
  boolean owing() {
    return !owed.isEmpty();
  }

  /** Closes a session that is of no further use; whatever it left running is ended later. */
  void abandon(ToolSession session, String reason) {
    owed.add(session.debt());
    session.close();
    LOG.warn("tool session lost in={} reason={}", name(), reason);
  }

  /**
   * Ends what abandoned sessions have left running, if anything. Whoever comes while another thread
   * does so waits for it.
   *
   * @throws AgentException when it cannot be ended
   */
  void settle(ToolSession through) throws ToolSession.Lost {
    if (owed.isEmpty()) {
      return;
    }
    if (!takeTurn()) {
      throw new AgentException(
          ErrorCode.DOCKER_UNAVAILABLE, name() + " does not answer; an earlier command hangs");
    }
    try {
      List<Debt> due = List.copyOf(owed);
      if (!due.isEmpty()) {
        end(due, through);
        owed.removeAll(due);
      }
    } finally {
      settling.unlock();
    }
  }

  void close() {
    host.close();
  }

  private void end(List<Debt> due, ToolSession through) throws ToolSession.Lost {
    if (stuck != null && System.nanoTime() - stuckSince < STUCK_PAUSE) {
      throw stuck;
    }
    stuck = null;
    ToolResult result = through.run(List.of(SessionProtocol.end(due)), settings.openLimit());
    if (!result.ok()) {
      stuckSince = System.nanoTime();
      stuck =
          new AgentException(
              ErrorCode.CONTAINER_UNAVAILABLE,
              "a command ran past its limit and cannot be ended: in "
                  + name()
                  + " these processes do not die:"
                  + result.stdout()
                  + "; restart the container, or the node when that does not help");
      throw stuck;
    }
  }

  private boolean takeTurn() {
    try {
      return settling.tryLock(settings.openLimit().toNanos(), TimeUnit.NANOSECONDS);
    } catch (InterruptedException stop) {
      Thread.currentThread().interrupt();
      return false;
    }
  }
}
