package io.incudal.agent.exec;

import io.incudal.agent.bus.AgentException;
import io.incudal.agent.bus.ErrorCode;
import io.incudal.agent.exec.ShellHost.ShellLink;
import io.incudal.agent.exec.ShellHost.ShellSink;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/**
 * One long-lived shell that runs commands one after another, one round trip each.
 *
 * <p>Commands come from one thread, which waits for the reply; the link delivers on a thread of its
 * own. A session that has lost a command is of no further use: close it and settle its {@link
 * #debt}. It sends nothing ahead of its turn, so that of a session that breaks exactly one command
 * has an unknown outcome.
 */
final class ToolSession {
  /** What a session may have left running: its shell's process id and the mark of its children. */
  record Debt(long pid, String tag) {}

  /** The reply to a command did not come. */
  static final class Lost extends Exception {
    private static final long serialVersionUID = 1L;
    private final boolean late;

    private Lost(boolean late) {
      super(late ? "past its limit" : "broken", null, false, false);
      this.late = late;
    }

    /** Whether it ran past its limit; otherwise the way to the shell broke. */
    boolean late() {
      return late;
    }
  }

  private final String tag = UUID.randomUUID().toString();
  private final String secret = UUID.randomUUID().toString();
  private final int outputLimit;
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition news = lock.newCondition();

  private SessionReply reply;
  private boolean ended;
  private long lastId = SessionProtocol.HELLO;
  private ShellLink link;
  private long pid;

  private ToolSession(int outputLimit) {
    this.outputLimit = outputLimit;
    this.reply = new SessionReply(secret, SessionProtocol.HELLO, outputLimit);
  }

  /** Opens a shell and waits until it is ready. */
  static ToolSession open(ShellHost host, Duration limit, int outputLimit) {
    long deadline = System.nanoTime() + limit.toNanos();
    var session = new ToolSession(outputLimit);
    session.link = host.open(session.tag, session.sink(), limit);
    try {
      session.link.send(SessionProtocol.greeting(session.secret));
      session.pid = session.await(deadline).exitCode();
      return session;
    } catch (Lost lost) {
      session.close();
      throw session.refused(host, lost);
    } catch (RuntimeException unexpected) {
      session.close();
      throw unexpected;
    }
  }

  String instance() {
    return link.instance();
  }

  Debt debt() {
    return new Debt(pid, tag);
  }

  /** Whether it can take a command, as far as is known. Any thread. */
  boolean alive() {
    lock.lock();
    try {
      return !ended;
    } finally {
      lock.unlock();
    }
  }

  /**
   * Runs the steps and waits for their end.
   *
   * @throws Lost when the outcome is unknown
   */
  ToolResult run(List<List<String>> steps, Duration limit) throws Lost {
    byte[] request = SessionProtocol.request(lastId + 1, steps);
    long deadline = System.nanoTime() + limit.toNanos();
    lock.lock();
    try {
      lastId++;
      reply = new SessionReply(secret, lastId, outputLimit);
    } finally {
      lock.unlock();
    }
    link.send(request);
    return await(deadline);
  }

  void close() {
    link.close();
  }

  private ToolResult await(long deadline) throws Lost {
    lock.lock();
    try {
      while (!reply.complete()) {
        long left = deadline - System.nanoTime();
        if (ended || left <= 0) {
          throw new Lost(!ended);
        }
        news.await(left, TimeUnit.NANOSECONDS);
      }
      SessionReply done = reply;
      reply = null;
      if (done.overflowed()) {
        throw BoundedOutput.tooMuch(outputLimit);
      }
      return done.result();
    } catch (InterruptedException stop) {
      Thread.currentThread().interrupt();
      throw new Lost(true);
    } finally {
      lock.unlock();
    }
  }

  private AgentException refused(ShellHost host, Lost lost) {
    if (lost.late()) {
      return new AgentException(
          ErrorCode.DOCKER_UNAVAILABLE, "a shell in " + host.name() + " did not start in time");
    }
    lock.lock();
    try {
      String said = reply.soFar().lines().findFirst().orElse("it ended at once");
      return new AgentException(
          ErrorCode.CONTAINER_UNAVAILABLE,
          host.name() + " cannot run a shell, which the agent needs: " + said);
    } finally {
      lock.unlock();
    }
  }

  private ShellSink sink() {
    return new ShellSink() {
      @Override
      public void stdout(byte[] chunk) {
        hear(() -> reply.stdout(chunk));
      }

      @Override
      public void stderr(byte[] chunk) {
        hear(() -> reply.stderr(chunk));
      }

      @Override
      public void ended() {
        lock.lock();
        try {
          ended = true;
          news.signalAll();
        } finally {
          lock.unlock();
        }
      }
    };
  }

  /** Bytes between two commands belong to neither, and are dropped. */
  private void hear(Runnable chunk) {
    lock.lock();
    try {
      if (reply != null) {
        chunk.run();
        if (reply.complete()) {
          news.signalAll();
        }
      }
    } finally {
      lock.unlock();
    }
  }
}
