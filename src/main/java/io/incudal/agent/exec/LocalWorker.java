package io.incudal.agent.exec;

import io.incudal.agent.bus.AgentException;
import io.incudal.agent.bus.ErrorCode;

/**
 * Runs the tools on this machine, as processes of the agent, without a shell. Belongs to one
 * thread, but for {@link #ready} and {@link #instance}.
 */
final class LocalWorker implements ToolWorker {
  private final LocalProcesses processes;

  LocalWorker(LocalProcesses processes) {
    this.processes = processes;
  }

  @Override
  public boolean ready() {
    return !processes.owing();
  }

  @Override
  public void prepare() {
    processes.settle();
  }

  @Override
  public ToolResult run(ToolCommand command) {
    long deadline = System.nanoTime() + command.limit().toNanos();
    var stdout = new StringBuilder();
    var stderr = new StringBuilder();
    int last = command.steps().size() - 1;
    for (int step = 0; ; step++) {
      LocalProcesses.Ended ended =
          processes.run(command.steps().get(step), deadline).orElseThrow(() -> late(command));
      stdout.append(ended.stdout());
      stderr.append(ended.stderr());
      if (ended.exitCode() != 0 || step == last) {
        return new ToolResult(step, ended.exitCode(), stdout.toString(), stderr.toString());
      }
    }
  }

  @Override
  public String instance() {
    return processes.instance();
  }

  @Override
  public void close() {
    // Every process has ended when its command has.
  }

  private static AgentException late(ToolCommand command) {
    return new AgentException(
        ErrorCode.COMMAND_TIMEOUT,
        command.steps().get(0).get(0)
            + " did not end within "
            + command.limit().toSeconds()
            + " s and was stopped; its outcome is unknown");
  }
}
