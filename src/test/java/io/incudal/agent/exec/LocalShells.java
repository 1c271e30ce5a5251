package io.incudal.agent.exec;

import io.incudal.agent.bus.AgentException;
import io.incudal.agent.bus.ErrorCode;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;

/**
 * A host whose shells are processes of this machine and run the real script; it can be made to
 * fail. {@code setsid} gives a shell a session of its own, as an exec in a container has it.
 */
final class LocalShells implements ShellHost {
  final List<Process> shells = new ArrayList<>();
  final AtomicInteger opened = new AtomicInteger();
  volatile Optional<AgentException> refusal = Optional.empty();
  volatile String instance = "one";
  volatile boolean closed;

  private final List<String> shell;

  LocalShells(String... shell) {
    this.shell = List.of(shell);
  }

  @Override
  public ShellLink open(String tag, ShellSink sink, Duration limit) {
    refusal.ifPresent(
        failure -> {
          throw failure;
        });
    opened.incrementAndGet();
    var argv = new ArrayList<String>(List.of("setsid"));
    argv.addAll(shell);
    argv.addAll(SessionProtocol.argv(tag).subList(1, 5));
    var builder = new ProcessBuilder(argv);
    TaggedProcesses.mark(builder, tag);
    try {
      var link = new Link(builder.start(), sink, instance);
      shells.add(link.process);
      return link;
    } catch (IOException missing) {
      throw new AgentException(ErrorCode.CONTAINER_UNAVAILABLE, missing.getMessage());
    }
  }

  @Override
  public String name() {
    return "container \"local\"";
  }

  @Override
  public void close() {
    closed = true;
  }

  /** What is left of the shells and of all that they started. */
  void killAll() {
    shells.forEach(
        shell -> {
          shell.descendants().forEach(ProcessHandle::destroyForcibly);
          shell.destroyForcibly();
        });
  }

  private static final class Link implements ShellLink {
    private final Process process;
    private final String instance;
    private final AtomicInteger open = new AtomicInteger(2);

    Link(Process process, ShellSink sink, String instance) {
      this.process = process;
      this.instance = instance;
      pump(process.getInputStream(), sink::stdout, sink);
      pump(process.getErrorStream(), sink::stderr, sink);
    }

    @Override
    public String instance() {
      return instance;
    }

    @Override
    public void send(byte[] bytes) {
      try {
        OutputStream stdin = process.getOutputStream();
        stdin.write(bytes);
        stdin.flush();
      } catch (IOException ended) {
        // As with Docker, the sink hears of the end.
      }
    }

    @Override
    public void close() {
      try {
        process.getOutputStream().close();
      } catch (IOException ended) {
        // It was to be closed.
      }
    }

    private void pump(InputStream from, Consumer<byte[]> to, ShellSink sink) {
      var thread =
          new Thread(
              () -> {
                byte[] chunk = new byte[1024];
                try {
                  for (int n = from.read(chunk); n >= 0; n = from.read(chunk)) {
                    byte[] part = java.util.Arrays.copyOf(chunk, n);
                    to.accept(part);
                    // The array is the caller's again: what was kept of it must be a copy.
                    java.util.Arrays.fill(part, (byte) '#');
                  }
                } catch (IOException killed) {
                  // The end, as well.
                } finally {
                  if (open.decrementAndGet() == 0) {
                    sink.ended();
                  }
                }
              });
      thread.setDaemon(true);
      thread.start();
    }
  }
}
