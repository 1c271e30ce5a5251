package io.incudal.agent.exec;

import io.vertx.core.json.JsonObject;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.BiFunction;

/**
 * A Docker engine as far as an exec needs one, on a unix socket; its execs run as processes of this
 * machine. What it answers can be bent.
 */
final class FakeEngine implements AutoCloseable {
  static final String ID = "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef";

  /** An answer: a body with a status, or a way not to give one. */
  record Answer(int status, String body, boolean chunked, Fault fault) {
    static Answer json(int status, String body) {
      return new Answer(status, body, false, Fault.NONE);
    }

    static Answer chunked(int status, String body) {
      return new Answer(status, body, true, Fault.NONE);
    }

    static Answer fault(Fault fault) {
      return new Answer(200, "", true, fault);
    }
  }

  /** Ways not to answer. */
  enum Fault {
    NONE,
    SILENCE,
    SILENCE_AFTER_HEADERS,
    CLOSE
  }

  final List<String> requests = new CopyOnWriteArrayList<>();
  volatile String apiVersion = "1.41";
  volatile String minApiVersion = "1.12";
  volatile String name = "/iscsi";
  volatile String state = "\"Running\":true,\"Paused\":false,\"Restarting\":false";
  volatile String startedAt = "2026-07-27T12:00:00Z";

  /** Asked first: method, then path without its version; null means the usual answer. */
  volatile BiFunction<String, String, Answer> bent = (method, path) -> null;

  private final UnixDomainSocketAddress address;
  private final Map<String, JsonObject> execs = new ConcurrentHashMap<>();
  private final Set<SocketChannel> connections = ConcurrentHashMap.newKeySet();
  private final LocalShells shells = new LocalShells("sh");
  private final Object freezing = new Object();
  private boolean frozen;
  private ServerSocketChannel server;

  FakeEngine(Path socket) throws IOException {
    this.address = UnixDomainSocketAddress.of(socket);
    start();
  }

  void start() throws IOException {
    ServerSocketChannel listening = ServerSocketChannel.open(StandardProtocolFamily.UNIX);
    listening.bind(address);
    server = listening;
    thread(
        () -> {
          while (true) {
            SocketChannel connection = listening.accept();
            connections.add(connection);
            thread(() -> serve(connection));
          }
        });
  }

  /** As when the engine's process is killed, its socket's file left behind. */
  void crash() throws IOException {
    server.close();
    for (SocketChannel connection : connections) {
      connection.close();
    }
    connections.clear();
  }

  /** As SIGSTOP does: connections are taken, but nothing moves on them. */
  void freeze(boolean on) {
    synchronized (freezing) {
      frozen = on;
      freezing.notifyAll();
    }
  }

  int connections() {
    return connections.size();
  }

  LocalShells shells() {
    return shells;
  }

  @Override
  public void close() throws IOException {
    freeze(false);
    crash();
    shells.killAll();
    address.getPath().toFile().delete();
  }

  private void serve(SocketChannel connection) throws IOException {
    try (connection) {
      for (String head = readHead(connection); head != null; head = readHead(connection)) {
        String[] line = head.lines().findFirst().orElseThrow().split(" ");
        String body = readBody(connection, head);
        requests.add(line[0] + " " + line[1]);
        String path = line[1].replaceFirst("^/v[0-9.]+", "");
        Answer answer = bent.apply(line[0], path);
        if (answer == null && path.endsWith("/start")) {
          runExec(connection, execs.get(path.split("/")[2]));
          return;
        }
        send(connection, answer == null ? usual(line[1], path, body) : answer);
      }
    } finally {
      connections.remove(connection);
    }
  }

  private Answer usual(String versioned, String path, String body) {
    if (!versioned.equals(path) && !speaks(versioned)) {
      return Answer.json(400, "{\"message\":\"client version is too new or too old\"}");
    }
    if (path.equals("/version")) {
      return Answer.json(
          200,
          new JsonObject()
              .put("ApiVersion", apiVersion)
              .put("MinAPIVersion", minApiVersion)
              .put("Version", "fake")
              .encode());
    }
    if (path.endsWith("/exec")) {
      String id = "exec" + execs.size();
      execs.put(id, new JsonObject(body));
      return Answer.json(201, "{\"Id\":\"" + id + "\"}");
    }
    return Answer.json(
        200,
        "{\"Id\":\"%s\",\"Name\":\"%s\",\"State\":{%s,\"StartedAt\":\"%s\"}}"
            .formatted(ID, name, state, startedAt));
  }

  private boolean speaks(String path) {
    int minor = minor(path.substring(2, path.indexOf('/', 1)));
    return minor >= minor(minApiVersion) && minor <= minor(apiVersion);
  }

  private static int minor(String version) {
    return Integer.parseInt(version.split("\\.")[1]);
  }

  /** The hijacked stream: bytes in, frames of two streams out. */
  private void runExec(SocketChannel connection, JsonObject exec) throws IOException {
    write(
        connection,
        "HTTP/1.1 101 UPGRADED\r\nContent-Type: application/vnd.docker.raw-stream\r\n"
            + "Connection: Upgrade\r\nUpgrade: tcp\r\n\r\n");
    String tag = exec.getJsonArray("Cmd").getString(4);
    var link =
        shells.open(
            tag,
            new ShellHost.ShellSink() {
              @Override
              public void stdout(byte[] chunk) {
                frame(connection, 1, chunk);
              }

              @Override
              public void stderr(byte[] chunk) {
                frame(connection, 2, chunk);
              }

              @Override
              public void ended() {
                closeQuietly(connection);
              }
            },
            Duration.ofSeconds(1));
    try {
      ByteBuffer buffer = ByteBuffer.allocate(4096);
      while (connection.read(buffer) >= 0) {
        awaitThaw();
        link.send(java.util.Arrays.copyOf(buffer.array(), buffer.position()));
        buffer.clear();
      }
    } finally {
      link.close();
    }
  }

  private void frame(SocketChannel connection, int stream, byte[] chunk) {
    awaitThaw();
    ByteBuffer frame = ByteBuffer.allocate(8 + chunk.length);
    frame.putInt(stream << 24).putInt(chunk.length).put(chunk).flip();
    try {
      synchronized (connection) {
        while (frame.hasRemaining()) {
          connection.write(frame);
        }
      }
    } catch (IOException gone) {
      // The shell hears of it by its standard input.
    }
  }

  private void send(SocketChannel connection, Answer answer) throws IOException {
    if (answer.fault() == Fault.CLOSE) {
      connection.close();
      return;
    }
    if (answer.fault() == Fault.SILENCE) {
      awaitClose(connection);
      return;
    }
    byte[] body = answer.body().getBytes(StandardCharsets.UTF_8);
    String head = "HTTP/1.1 " + answer.status() + " X\r\nContent-Type: application/json\r\n";
    if (answer.chunked()) {
      write(connection, head + "Transfer-Encoding: chunked\r\n\r\n");
      if (answer.fault() == Fault.SILENCE_AFTER_HEADERS) {
        awaitClose(connection);
        return;
      }
      write(
          connection, Integer.toHexString(body.length) + "\r\n" + answer.body() + "\r\n0\r\n\r\n");
    } else {
      write(connection, head + "Content-Length: " + body.length + "\r\n\r\n" + answer.body());
    }
  }

  private void awaitClose(SocketChannel connection) throws IOException {
    while (connection.read(ByteBuffer.allocate(1024)) >= 0) {
      // What it says is not answered.
    }
  }

  private String readHead(SocketChannel connection) throws IOException {
    var head = new ByteArrayOutputStream();
    ByteBuffer one = ByteBuffer.allocate(1);
    while (!head.toString(StandardCharsets.US_ASCII).endsWith("\r\n\r\n")) {
      awaitThaw();
      one.clear();
      if (connection.read(one) < 0) {
        return null;
      }
      head.write(one.array()[0]);
    }
    awaitThaw();
    return head.toString(StandardCharsets.US_ASCII);
  }

  private static String readBody(SocketChannel connection, String head) throws IOException {
    int length =
        head.lines()
            .filter(line -> line.toLowerCase(java.util.Locale.ROOT).startsWith("content-length:"))
            .mapToInt(line -> Integer.parseInt(line.split(":")[1].strip()))
            .findFirst()
            .orElse(0);
    ByteBuffer body = ByteBuffer.allocate(length);
    while (body.hasRemaining() && connection.read(body) >= 0) {
      // Until all of it is there.
    }
    return new String(body.array(), StandardCharsets.UTF_8);
  }

  private void awaitThaw() {
    synchronized (freezing) {
      try {
        while (frozen) {
          freezing.wait();
        }
      } catch (InterruptedException stop) {
        Thread.currentThread().interrupt();
      }
    }
  }

  private static void write(SocketChannel connection, String text) throws IOException {
    ByteBuffer bytes = ByteBuffer.wrap(text.getBytes(StandardCharsets.UTF_8));
    while (bytes.hasRemaining()) {
      connection.write(bytes);
    }
  }

  private static void closeQuietly(SocketChannel connection) {
    try {
      connection.close();
    } catch (IOException gone) {
      // It was to be closed.
    }
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
                // The other side went away, or the engine ends.
              }
            },
            "fake-engine");
    thread.setDaemon(true);
    thread.start();
  }
}
