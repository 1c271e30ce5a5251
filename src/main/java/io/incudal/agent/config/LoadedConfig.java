package io.incudal.agent.config;

import java.util.List;

/**
 * What the loader found.
 *
 * @param warnings what an operator may want to mend, such as names that no setting has
 * @param effective every setting of the roles that run, as {@code NAME=value}, secrets masked
 */
public record LoadedConfig(AgentConfig config, List<String> warnings, List<String> effective) {
  public LoadedConfig {
    warnings = List.copyOf(warnings);
    effective = List.copyOf(effective);
  }
}
