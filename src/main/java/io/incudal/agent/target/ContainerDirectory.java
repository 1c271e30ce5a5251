package io.incudal.agent.target;

import io.incudal.agent.exec.ToolCommand;
import io.incudal.agent.exec.ToolResult;
import io.incudal.agent.exec.ToolRunner;
import io.vertx.core.Future;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

/**
 * The image directory as the target daemon's container sees it. Never blocks, but for a look into
 * {@code /proc} when it is made.
 */
public final class ContainerDirectory {
  private static final Duration LIMIT = Duration.ofSeconds(5);
  private static final Path BOOT_ID = Path.of("/proc/sys/kernel/random/boot_id");

  private final ToolRunner tools;
  private final Path directory;
  private final String boot = ownBoot();

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

    /** It cannot be told: devices have other numbers in the kernel of a virtual machine. */
    record Unknown() implements Seen {}
  }

  /** Never fails. */
  public Future<Seen> look() {
    List<List<String>> steps =
        List.of(
            List.of("stat", "-L", "-c", "%d:%i", directory.toString()),
            List.of("cat", BOOT_ID.toString()));
    return tools.run(new ToolCommand(steps, LIMIT)).map(this::read).otherwise(new Seen.Unknown());
  }

  private Seen read(ToolResult result) {
    String[] words = result.stdout().strip().split("\\s+");
    if (result.ok() && words.length == 2 && words[1].equals(boot)) {
      return new Seen.There(words[0]);
    }
    return result.step() == 0 && result.stderr().contains("No such file")
        ? new Seen.Missing()
        : new Seen.Unknown();
  }

  private static String ownBoot() {
    try {
      return Files.readString(BOOT_ID).strip();
    } catch (IOException unknown) {
      return "";
    }
  }
}
