package io.incudal.agent.exec;

/**
 * What became of a command.
 *
 * @param step index of the last step that ran, from 0
 * @param exitCode of that step
 * @param stdout of all steps that ran
 * @param stderr of all steps that ran
 */
public record ToolResult(int step, int exitCode, String stdout, String stderr) {
  public boolean ok() {
    return exitCode == 0;
  }
}
