package io.incudal.agent.deploy;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The shell blocks of a document that call the agent, or start it with Compose, in their order.
 *
 * <p>A call's status is documented by a number at the end of a comment line before it; without one
 * it is 200.
 */
record DocumentedCalls(List<String> blocks) {
  private static final Pattern BLOCK = Pattern.compile("(?ms)^```sh\n(.*?)^```$");
  private static final Pattern CALL = Pattern.compile("\\$AGENT\\b|://localhost:4840/");
  private static final Pattern STATUS = Pattern.compile("^#.*\\b([1-5][0-9]{2})$");

  DocumentedCalls {
    blocks = List.copyOf(blocks);
  }

  static DocumentedCalls of(String document) {
    List<String> blocks = new ArrayList<>();
    Matcher block = BLOCK.matcher(document);
    while (block.find()) {
      String text = block.group(1);
      if (startsAgent(text) || CALL.matcher(text).find()) {
        blocks.add(text);
      }
    }
    return new DocumentedCalls(blocks);
  }

  static boolean startsAgent(String block) {
    return block.contains("docker compose up -d");
  }

  /** The status of each call, in order. */
  List<Integer> statuses() {
    List<Integer> statuses = new ArrayList<>();
    for (String block : blocks) {
      int next = 200;
      for (String line : block.lines().toList()) {
        Matcher status = STATUS.matcher(line);
        if (status.find()) {
          next = Integer.parseInt(status.group(1));
        } else if (line.startsWith("curl ")) {
          statuses.add(next);
          next = 200;
        }
      }
    }
    return statuses;
  }

  /** The names that a member has in the calls' bodies, such as those of masters. */
  List<String> named(String member) {
    Matcher found =
        Pattern.compile("\\\\?\"" + member + "\\\\?\":\\\\?\"([^\"\\\\]+)")
            .matcher(String.join("\n", blocks));
    return found.results().map(result -> result.group(1)).distinct().toList();
  }
}
