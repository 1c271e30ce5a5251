package io.incudal.agent.api;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;
import java.util.Locale;

/** A connection that says exactly what it is told to, however wrong. */
final class RawHttp implements AutoCloseable {
  private static final int PATIENCE_MILLIS = 5_000;

  private final Socket socket;

  RawHttp(int port) throws IOException {
    socket = new Socket(InetAddress.getLoopbackAddress(), port);
    socket.setSoTimeout(PATIENCE_MILLIS);
  }

  /** A request of its own connection; lines are ended here, and the head as well. */
  static Answer ask(int port, String... lines) throws IOException {
    try (var http = new RawHttp(port)) {
      http.send(String.join("\r\n", lines) + "\r\n\r\n");
      return http.answer();
    }
  }

  void send(String text) throws IOException {
    send(text.getBytes(StandardCharsets.ISO_8859_1));
  }

  void send(byte[] bytes) throws IOException {
    socket.getOutputStream().write(bytes);
    socket.getOutputStream().flush();
  }

  /** Reads one answer: its head, and as much body as the head says. */
  Answer answer() throws IOException {
    String head = head();
    int length = Answer.length(head);
    return new Answer(head, new String(socket.getInputStream().readNBytes(length)));
  }

  /** How many bytes come until the connection ends, well or not. */
  long readAll() {
    long count = 0;
    try {
      byte[] some = new byte[64 * 1024];
      for (int read = 0; read >= 0; read = socket.getInputStream().read(some)) {
        count += read;
      }
    } catch (IOException reset) {
      // What was read before counts.
    }
    return count;
  }

  /** The answer to HEAD, whose head speaks of a body that does not come. */
  Answer headOnly() throws IOException {
    return new Answer(head(), "");
  }

  /** Whether the server has closed the connection, waiting for it if need be. */
  boolean isClosed() throws IOException {
    try {
      return socket.getInputStream().read() < 0;
    } catch (SocketTimeoutException open) {
      return false;
    } catch (IOException reset) {
      return true;
    }
  }

  @Override
  public void close() throws IOException {
    socket.close();
  }

  private String head() throws IOException {
    InputStream in = socket.getInputStream();
    var head = new ByteArrayOutputStream();
    while (!head.toString(StandardCharsets.ISO_8859_1).endsWith("\r\n\r\n")) {
      int next = in.read();
      if (next < 0) {
        throw new IOException("closed after: " + head);
      }
      head.write(next);
    }
    return head.toString(StandardCharsets.ISO_8859_1);
  }

  record Answer(String head, String body) {
    int status() {
      return Integer.parseInt(head.split(" ")[1]);
    }

    /** A header's value, or {@code null}. */
    String header(String name) {
      return head.lines()
          .filter(
              line -> line.toLowerCase(Locale.ROOT).startsWith(name.toLowerCase(Locale.ROOT) + ":"))
          .map(line -> line.substring(name.length() + 1).strip())
          .findFirst()
          .orElse(null);
    }

    private static int length(String head) {
      String length = new Answer(head, "").header("content-length");
      return length == null ? 0 : Integer.parseInt(length);
    }
  }
}
