package io.incudal.agent.lab;

import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.URI;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Set;
import java.util.concurrent.ConcurrentSkipListSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Stands between an agent and a Docker engine, on a unix socket of its own, and writes down which
 * calls are made; it changes nothing.
 */
public final class RecordingProxy implements AutoCloseable {
  /** A request's first line; what is sent to a shell holds none. */
  private static final Pattern REQUEST = Pattern.compile("\\b([A-Z]+) (/[!-~]*) HTTP/1\\.1\r\n");

  private static final int CHUNK = 64 * 1024;

  private final Set<String> calls = new ConcurrentSkipListSet<>();
  private final UnixDomainSocketAddress engine;
  private final Path socket;
  private final ServerSocketChannel server;

  /**
   * @param engine {@code unix:///…}
   * @param socket where to listen
   */
  public RecordingProxy(String engine, Path socket) throws IOException {
    this.engine = UnixDomainSocketAddress.of(URI.create(engine).getPath());
    this.socket = socket;
    this.server = ServerSocketChannel.open(StandardProtocolFamily.UNIX);
    server.bind(UnixDomainSocketAddress.of(socket));
    thread(this::accept);
  }

  public String address() {
    return "unix://" + socket;
  }

  /** Method and path of every call so far, each once. */
  public Set<String> calls() {
    return Set.copyOf(calls);
  }

  @Override
  public void close() throws IOException {
    server.close();
    socket.toFile().delete();
  }

  private void accept() throws IOException {
    while (true) {
      SocketChannel client = server.accept();
      SocketChannel upstream = SocketChannel.open(engine);
      thread(() -> pump(client, upstream, true));
      thread(() -> pump(upstream, client, false));
    }
  }

  private void pump(SocketChannel from, SocketChannel to, boolean asks) throws IOException {
    ByteBuffer chunk = ByteBuffer.allocate(CHUNK);
    try (from;
        to) {
      String rest = "";
      while (from.read(chunk) >= 0) {
        chunk.flip();
        if (asks) {
          rest = record(rest + StandardCharsets.ISO_8859_1.decode(chunk.duplicate()));
        }
        while (chunk.hasRemaining()) {
          to.write(chunk);
        }
        chunk.clear();
      }
    }
  }

  /** Returns what may be the begin of a line that has not come whole. */
  private String record(String text) {
    Matcher found = REQUEST.matcher(text);
    int end = 0;
    while (found.find()) {
      calls.add(found.group(1) + " " + found.group(2));
      end = found.end();
    }
    return text.substring(Math.max(end, text.length() - 1024));
  }

  private interface Io {
    void run() throws IOException;
  }

  private static void thread(Io task) {
    var thread =
        new Thread(
            () -> {
              try {
                task.run();
              } catch (IOException closed) {
                // One of the two sides is gone, or the test is over.
              }
            },
            "recording-proxy");
    thread.setDaemon(true);
    thread.start();
  }
}
