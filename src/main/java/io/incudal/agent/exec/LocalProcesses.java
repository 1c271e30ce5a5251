package io.incudal.agent.exec;

import io.incudal.agent.bus.AgentException;
import io.incudal.agent.bus.ErrorCode;
import java.io.File;
import java.io.IOException;
import java.nio.charset.Charset;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * Starts tools as processes of the agent, and ends those that ran past their limit with all that
 * they started. Owns two threads for each process that runs, which read what it prints.
 * Thread-safe; blocks its callers, the tools' own threads.
 */
final class LocalProcesses {
  private static final Path BOOT_ID = Path.of("/proc/sys/kernel/random/boot_id");
  private static final File NOTHING = new File("/dev/null");
  private static final int IDLE_SECONDS = 5;
  private static final int NOT_FOUND = 127;

  /**
   * What a process left.
   *
   * @param exitCode 127 when there is no such tool, as a shell has it
   */
  record Ended(int exitCode, String stdout, String stderr) {}

  private final int outputLimit;
  private final String instance = bootId();
  private final List<String> owed = new CopyOnWriteArrayList<>();
  private final ThreadPoolExecutor readers =
      new ThreadPoolExecutor(
          0,
          Integer.MAX_VALUE,
          IDLE_SECONDS,
          TimeUnit.SECONDS,
          new SynchronousQueue<>(),
          LocalProcesses::thread);

  /**
   * Starts nothing yet.
   *
   * @param outputLimit bytes of each stream of a process
   */
  LocalProcesses(int outputLimit) {
    this.outputLimit = outputLimit;
  }

  /** Changes when the machine is restarted. */
  String instance() {
    return instance;
  }

  /** Whether processes are to be ended by {@link #settle}. */
  boolean owing() {
    return !owed.isEmpty();
  }

  /** Runs a tool to its end; empty when the deadline came first. */
  Optional<Ended> run(List<String> words, long deadline) {
    words.forEach(LocalProcesses::refuseWhatWouldChange);
    String tag = UUID.randomUUID().toString();
    Process process;
    try {
      process = start(words, tag);
    } catch (IOException missing) {
      return Optional.of(new Ended(NOT_FOUND, "", missing.getMessage() + "\n"));
    }
    var stdout = new BoundedOutput(outputLimit);
    var stderr = new BoundedOutput(outputLimit);
    var read =
        CompletableFuture.allOf(
            CompletableFuture.runAsync(() -> stdout.drain(process.getInputStream()), readers),
            CompletableFuture.runAsync(() -> stderr.drain(process.getErrorStream()), readers));
    if (!ended(process, read, deadline)) {
      owed.add(tag);
      return Optional.empty();
    }
    return Optional.of(new Ended(process.exitValue(), stdout.text(), stderr.text()));
  }

  /**
   * Ends what ran past its limit.
   *
   * @throws AgentException when it does not die
   */
  void settle() {
    for (String tag : owed) {
      TaggedProcesses.end(tag);
      owed.remove(tag);
    }
  }

  void close() {
    readers.shutdown();
  }

  private static Process start(List<String> words, String tag) throws IOException {
    var builder = new ProcessBuilder(words).redirectInput(NOTHING);
    TaggedProcesses.mark(builder, tag);
    return builder.start();
  }

  private static boolean ended(Process process, CompletableFuture<Void> read, long deadline) {
    try {
      // Its streams first: they stay open as long as anything that it started holds them.
      read.get(deadline - System.nanoTime(), TimeUnit.NANOSECONDS);
      return process.waitFor(deadline - System.nanoTime(), TimeUnit.NANOSECONDS);
    } catch (TimeoutException late) {
      return false;
    } catch (InterruptedException stop) {
      Thread.currentThread().interrupt();
      return false;
    } catch (ExecutionException failed) {
      throw new IllegalStateException(failed.getCause());
    }
  }

  /** Java passes arguments in the locale's character set, with a question mark for the rest. */
  private static void refuseWhatWouldChange(String word) {
    Charset charset = Charset.forName(System.getProperty("sun.jnu.encoding", "UTF-8"));
    if (!charset.newEncoder().canEncode(word)) {
      throw new AgentException(
          ErrorCode.COMMAND_FAILED,
          "an argument cannot be passed to a tool in this locale; start the agent with"
              + " LC_ALL=C.UTF-8");
    }
  }

  private static String bootId() {
    try {
      return "local@" + Files.readString(BOOT_ID).strip();
    } catch (IOException unknown) {
      return "local";
    }
  }

  private static Thread thread(Runnable reading) {
    var thread = new Thread(reading, "tool-output");
    thread.setDaemon(true);
    return thread;
  }
}
