package io.incudal.agent.exec;

import io.incudal.agent.bus.AgentException;
import io.incudal.agent.bus.ErrorCode;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;

/**
 * What a process prints on one stream, up to a limit; the rest is read too, so that the process can
 * end, and dropped. Filled by one thread, read by another after that.
 */
final class BoundedOutput {
  private final int limit;
  private final ByteArrayOutputStream kept = new ByteArrayOutputStream();
  private boolean dropped;

  BoundedOutput(int limit) {
    this.limit = limit;
  }

  static AgentException tooMuch(int limit) {
    return new AgentException(
        ErrorCode.COMMAND_FAILED,
        "a tool printed more than " + limit + " bytes; its outcome is unknown");
  }

  void drain(InputStream stream) {
    byte[] chunk = new byte[8192];
    try (stream) {
      for (int count = stream.read(chunk); count >= 0; count = stream.read(chunk)) {
        int room = Math.min(count, limit - kept.size());
        kept.write(chunk, 0, room);
        dropped |= room < count;
      }
    } catch (IOException broken) {
      dropped = true;
    }
  }

  String text() {
    if (dropped) {
      throw tooMuch(limit);
    }
    return kept.toString(StandardCharsets.UTF_8);
  }
}
