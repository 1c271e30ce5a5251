package io.incudal.agent.target;

import io.incudal.agent.exec.ToolCommand;
import io.incudal.agent.exec.ToolResult;
import io.incudal.agent.exec.ToolRunner;
import io.vertx.core.Future;
import java.nio.file.Path;
import java.time.Duration;

/** The image directory as the target daemon's container sees it. Never blocks. */
public final class ContainerDirectory {
  private static final Duration LIMIT = Duration.ofSeconds(5);

  private final ToolRunner tools;
  private final Path directory;

  public ContainerDirectory(ToolRunner tools, Path directory) {
    this.tools = tools;
    this.directory = directory;
  }

  /** What is known of a directory of this path in there. */
  public sealed interface Seen {
    /**
     * @param identity device and inode, as {@code stat} prints them
     */
    record There(String identity) implements Seen {}

    record Missing() implements Seen {}

    /** It cannot be told. */
    record Unknown() implements Seen {}
  }

  /** Never fails. */
  public Future<Seen> look() {
    return tools
        .run(ToolCommand.of(LIMIT, "stat", "-L", "-c", "%d:%i", directory.toString()))
        .map(ContainerDirectory::read)
        .otherwise(new Seen.Unknown());
  }

  private static Seen read(ToolResult result) {
    if (result.ok()) {
      return new Seen.There(result.stdout().strip());
    }
    return result.stderr().contains("No such file") ? new Seen.Missing() : new Seen.Unknown();
  }
}
