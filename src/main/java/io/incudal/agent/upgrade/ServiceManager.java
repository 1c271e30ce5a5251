package io.incudal.agent.upgrade;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/** What runs the agent as a service, and can start it anew. An interface for the tests' sake. */
interface ServiceManager {
  /** Why it cannot restart this very process; empty when it can. */
  Optional<String> refusal() throws IOException, InterruptedException;

  /** Orders a restart and does not wait for it, for it ends the one that asks. */
  void orderRestart() throws IOException, InterruptedException;

  /** Restarts the service from outside, and forgets that it failed before. */
  boolean restart() throws IOException, InterruptedException;

  /**
   * Starts a program that outlives the service.
   *
   * @param binary which release file the program takes itself for
   */
  void startWatcher(Path binary, List<String> command) throws IOException, InterruptedException;

  ServiceState state() throws IOException, InterruptedException;

  /**
   * @param restarts how often it was started again by itself since it was last started on purpose
   */
  record ServiceState(Activity activity, int restarts) {}

  /** What the service does, as far as a watcher cares. */
  enum Activity {
    /** Runs, or starts. */
    UP,
    /** Has died and waits to be started again. */
    BETWEEN,
    /** Has died, and is not started again. */
    FAILED,
    /** Was stopped on purpose. */
    STOPPED
  }
}
