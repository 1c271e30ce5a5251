package io.incudal.agent.exec;

import java.time.Duration;
import java.util.List;

/**
 * What a tool is to do.
 *
 * @param steps argument vectors, the tool's name first; no argument holds NUL or a newline
 * @param limit for all steps together, from the moment the first one starts
 */
public record ToolCommand(List<List<String>> steps, Duration limit) {
  public ToolCommand {
    steps = steps.stream().map(List::copyOf).toList();
    if (steps.isEmpty() || steps.stream().anyMatch(List::isEmpty)) {
      throw new IllegalArgumentException("a command needs a step, and a step a tool");
    }
    for (List<String> step : steps) {
      for (String word : step) {
        if (word.indexOf('\n') >= 0 || word.indexOf('\0') >= 0) {
          throw new IllegalArgumentException("an argument holds NUL or a newline");
        }
      }
    }
  }

  public static ToolCommand of(Duration limit, String... step) {
    return new ToolCommand(List.of(List.of(step)), limit);
  }
}
