package io.incudal.agent.exec;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * Collects the reply to one request: both streams, each up to the marker that closes it.
 *
 * <p>A shell answers one request at a time and then waits, so a marker is always the last thing
 * that has come; only the tail of what has come is ever searched. Not thread-safe.
 */
final class SessionReply {
  private final Stream stdout;
  private final Stream stderr;

  /**
   * Expects the reply to a request.
   *
   * @param limit bytes kept of each stream; more is dropped, and {@link #overflowed} says so
   */
  SessionReply(String secret, long id, int limit) {
    this.stdout = new Stream(secret, id, limit);
    this.stderr = new Stream(secret, id, limit);
  }

  void stdout(byte[] chunk) {
    stdout.append(chunk);
  }

  void stderr(byte[] chunk) {
    stderr.append(chunk);
  }

  boolean complete() {
    return stdout.end >= 0 && stderr.end >= 0;
  }

  boolean overflowed() {
    return stdout.dropped || stderr.dropped;
  }

  /** What the tools said, once the reply is complete. */
  ToolResult result() {
    String[] numbers = stdout.numbers.split(" ");
    return new ToolResult(
        Integer.parseInt(numbers[0]),
        Integer.parseInt(numbers[1]),
        stdout.text(stdout.end),
        stderr.text(stderr.end));
  }

  /** What has come on either stream so far, for a shell that never became ready. */
  String soFar() {
    return (stderr.text(stderr.length) + stdout.text(stdout.length)).strip();
  }

  private static final class Stream {
    /** Longer than any marker: a secret, an id, a step and an exit code. */
    private static final int TAIL = 160;

    private final String marker;
    private final int limit;
    private byte[] bytes = new byte[1024];
    private int length;
    private int end = -1;
    private boolean dropped;
    private String numbers = "";

    Stream(String secret, long id, int limit) {
      this.marker = "\n" + secret + " " + id;
      this.limit = limit;
    }

    void append(byte[] chunk) {
      makeRoom(chunk.length);
      System.arraycopy(chunk, 0, bytes, length, chunk.length);
      length += chunk.length;
      if (length > 0 && bytes[length - 1] == '\n') {
        findMarker();
      }
    }

    private void makeRoom(int more) {
      if (length + more > limit) {
        // The tail stays: a marker may have begun in it.
        int kept = Math.min(length, TAIL);
        System.arraycopy(bytes, length - kept, bytes, 0, kept);
        length = kept;
        dropped = true;
      }
      if (length + more > bytes.length) {
        bytes = Arrays.copyOf(bytes, Math.max(2 * bytes.length, length + more));
      }
    }

    private void findMarker() {
      int from = Math.max(0, length - TAIL);
      String tail = new String(bytes, from, length - from, StandardCharsets.ISO_8859_1);
      int at = tail.lastIndexOf(marker);
      if (at >= 0) {
        end = from + at;
        numbers = tail.substring(at + marker.length()).strip();
      }
    }

    String text(int until) {
      return new String(bytes, 0, until, StandardCharsets.UTF_8);
    }
  }
}
