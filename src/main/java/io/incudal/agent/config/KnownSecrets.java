package io.incudal.agent.config;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;

/**
 * Every secret that the agent was ever told, so that others can keep it out of what they write. A
 * token file is looked at each time; what it held before stays secret. For one thread at a time,
 * which may block.
 */
public final class KnownSecrets implements Supplier<List<Secret>> {
  private final Set<Secret> known = new LinkedHashSet<>();
  private final Optional<Path> file;
  private FileTime read = FileTime.fromMillis(0);

  public KnownSecrets(AgentConfig config) {
    file = config.node().flatMap(node -> node.token().file());
    config.node().flatMap(node -> node.token().value()).ifPresent(known::add);
    config.node().flatMap(node -> node.token().previous()).ifPresent(known::add);
    config.panel().map(PanelConfig::agentSecret).ifPresent(known::add);
  }

  @Override
  public List<Secret> get() {
    file.ifPresent(this::look);
    return List.copyOf(known);
  }

  private void look(Path token) {
    try {
      FileTime modified = Files.getLastModifiedTime(token);
      if (!modified.equals(read)) {
        known.add(TokenText.parse(Files.readString(token)));
        read = modified;
      }
    } catch (IOException | IllegalArgumentException unusable) {
      // Then it is no token either; who authenticates by it says so in the log.
    }
  }
}
