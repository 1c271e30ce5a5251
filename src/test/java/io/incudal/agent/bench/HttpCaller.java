package io.incudal.agent.bench;

import java.io.BufferedInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.Locale;

/**
 * One kept-alive connection that costs next to nothing: on a machine of two cores, a client that
 * works as hard as the server would measure itself. Used by one thread.
 */
final class HttpCaller implements AutoCloseable {
  private final Socket socket;
  private final InputStream in;
  private final String token;

  /** What came back; the body is there as it was sent. */
  record Answer(int status, byte[] body) {
    String text() {
      return new String(body, StandardCharsets.UTF_8);
    }
  }

  HttpCaller(int port, String token) throws IOException {
    this.socket = new Socket(InetAddress.getLoopbackAddress(), port);
    this.socket.setTcpNoDelay(true);
    this.socket.setSoTimeout(120_000);
    this.in = new BufferedInputStream(socket.getInputStream(), 65_536);
    this.token = token;
  }

  /** Fails the run when the answer is another than 200. */
  Answer ok(String method, String path, String body) throws IOException {
    Answer answer = call(method, path, body);
    if (answer.status() != 200) {
      throw new IOException(method + " " + path + ": " + answer.status() + " " + answer.text());
    }
    return answer;
  }

  Answer call(String method, String path, String body) throws IOException {
    byte[] content = body.getBytes(StandardCharsets.UTF_8);
    StringBuilder head = new StringBuilder(256);
    head.append(method).append(' ').append(path).append(" HTTP/1.1\r\nHost: localhost\r\n");
    head.append("Authorization: Bearer ").append(token).append("\r\n");
    if (content.length > 0) {
      head.append("Content-Type: application/json\r\n");
      head.append("Content-Length: ").append(content.length).append("\r\n");
    }
    head.append("\r\n").append(body);
    socket.getOutputStream().write(head.toString().getBytes(StandardCharsets.UTF_8));
    return read();
  }

  private Answer read() throws IOException {
    int status = Integer.parseInt(line().split(" ")[1]);
    int length = 0;
    for (String header = line(); !header.isEmpty(); header = line()) {
      String lower = header.toLowerCase(Locale.ROOT);
      if (lower.startsWith("content-length:")) {
        length = Integer.parseInt(lower.substring("content-length:".length()).trim());
      } else if (lower.startsWith("transfer-encoding:")) {
        throw new IOException("the agent sends its length: " + header);
      }
    }
    byte[] body = in.readNBytes(length);
    if (body.length < length) {
      throw new EOFException("the body was cut off");
    }
    return new Answer(status, body);
  }

  private String line() throws IOException {
    StringBuilder line = new StringBuilder(64);
    for (int c = in.read(); c != '\n'; c = in.read()) {
      if (c < 0) {
        throw new EOFException("the connection was closed");
      }
      if (c != '\r') {
        line.append((char) c);
      }
    }
    return line.toString();
  }

  @Override
  public void close() throws IOException {
    socket.close();
  }
}
