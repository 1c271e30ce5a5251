package io.incudal.agent.exec;

import io.incudal.agent.bus.AgentException;
import io.incudal.agent.bus.ErrorCode;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * Finds the processes of this machine that inherited a mark in their environment, and ends them:
 * also those whose parent is gone, and never one that got a process id anew.
 */
final class TaggedProcesses {
  private static final Path PROC = Path.of("/proc");
  private static final long PATIENCE = TimeUnit.SECONDS.toNanos(3);
  private static final long PAUSE = TimeUnit.MILLISECONDS.toNanos(5);

  private TaggedProcesses() {}

  static void mark(ProcessBuilder builder, String tag) {
    String[] entry = SessionProtocol.environment(tag).split("=", 2);
    builder.environment().put(entry[0], entry[1]);
  }

  /**
   * Kills them and waits until they are gone.
   *
   * @throws AgentException when they do not die
   */
  static void end(String tag) {
    long deadline = System.nanoTime() + PATIENCE;
    for (List<Long> left = find(tag); !left.isEmpty(); left = find(tag)) {
      if (System.nanoTime() > deadline) {
        throw new AgentException(
            ErrorCode.CONTAINER_UNAVAILABLE,
            "a command ran past its limit and cannot be ended: these processes do not die: "
                + left
                + "; restart the node");
      }
      left.forEach(pid -> ProcessHandle.of(pid).ifPresent(ProcessHandle::destroyForcibly));
      LockSupport.parkNanos(PAUSE);
    }
  }

  /** Living ones: the environment of a process that has ended is empty. */
  static List<Long> find(String tag) {
    byte[] mark = SessionProtocol.environment(tag).getBytes(StandardCharsets.US_ASCII);
    var found = new ArrayList<Long>();
    try (DirectoryStream<Path> all = Files.newDirectoryStream(PROC, "[0-9]*")) {
      for (Path process : all) {
        if (carries(process, new String(mark, StandardCharsets.ISO_8859_1))) {
          found.add(Long.parseLong(process.getFileName().toString()));
        }
      }
      return found;
    } catch (IOException broken) {
      throw new IllegalStateException("/proc cannot be read", broken);
    }
  }

  private static boolean carries(Path process, String mark) {
    try {
      byte[] environment = Files.readAllBytes(process.resolve("environ"));
      return new String(environment, StandardCharsets.ISO_8859_1).contains(mark);
    } catch (IOException goneOrForeign) {
      return false;
    }
  }
}
