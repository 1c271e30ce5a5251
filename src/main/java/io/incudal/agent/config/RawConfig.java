package io.incudal.agent.config;

import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;

/** The merged sources, not yet looked at: YAML keys at the top, variables in a section apart. */
final class RawConfig {
  /** Texts of the environment and of {@code .env}, which override each other by name. */
  static final String VARIABLES = "process variables";

  static final String COMPLAINTS = "complaints about .env";

  private static final String DOCKER_HOST = "DOCKER_HOST";
  private static final String NODE_DOCKER_HOST = "IPXE_DOCKER_HOST";

  private final JsonObject variables;
  private final JsonArray complaints;
  private final JsonObject top;
  private final Object section;

  RawConfig(JsonObject merged) {
    top = merged.copy();
    variables = (JsonObject) top.remove(VARIABLES);
    complaints = (JsonArray) top.getMap().getOrDefault(COMPLAINTS, new JsonArray());
    top.remove(COMPLAINTS);
    section =
        top.containsKey(Setting.NODE_SECTION)
            ? Optional.ofNullable(top.remove(Setting.NODE_SECTION)).orElseGet(JsonObject::new)
            : null;
  }

  /** Whether a variable of this name is looked at. */
  static boolean concerns(String name) {
    return name.startsWith(Setting.NODE_PREFIX)
        || name.startsWith(Setting.PANEL_PREFIX)
        || name.equals(DOCKER_HOST);
  }

  /**
   * A value as it was given.
   *
   * @param origin how a person names the place
   * @param quoted whether it is a text, and no number or the like that YAML made of one
   */
  record Found(String origin, String text, boolean quoted) {}

  /** Empty, too, when the value is; so that {@code NAME=} takes the default. */
  Optional<Found> find(Setting<?> setting) {
    return variable(setting.name())
        .or(() -> yaml(setting))
        .or(() -> setting.name().equals(NODE_DOCKER_HOST) ? variable(DOCKER_HOST) : none());
  }

  private static Optional<Found> none() {
    return Optional.empty();
  }

  private Optional<Found> variable(String name) {
    return Optional.ofNullable(variables.getString(name))
        .filter(text -> !text.isBlank())
        .map(text -> new Found(name, text, true));
  }

  private Optional<Found> yaml(Setting<?> setting) {
    JsonObject place = setting.inNodeSection() ? section() : top;
    Object value = place.getValue(setting.key());
    return Optional.ofNullable(value)
        .map(given -> new Found(setting.path(), given.toString(), given instanceof String))
        .filter(found -> !found.text().isBlank());
  }

  private JsonObject section() {
    return section instanceof JsonObject object ? object : new JsonObject();
  }

  /**
   * Whether any setting of the Agent API is there, even an empty one, or an empty section.
   *
   * @param others settings in its section that are not its own
   */
  boolean namesNode(List<Setting<?>> settings, List<Setting<?>> others) {
    Set<String> foreign = others.stream().map(Setting::key).collect(Collectors.toSet());
    Set<String> keys = section().fieldNames();
    return section != null && (keys.isEmpty() || !foreign.containsAll(keys))
        || settings.stream().anyMatch(setting -> variables.containsKey(setting.name()));
  }

  /** Broken lines, and keys of the YAML file that no setting has. */
  List<String> problems(List<Setting<?>> settings) {
    List<String> problems = new ArrayList<>();
    complaints.forEach(complaint -> problems.add(complaint.toString()));
    if (section != null && !(section instanceof JsonObject)) {
      problems.add(Setting.NODE_SECTION + ": has to be a section of settings");
    }
    Set<String> known = new TreeSet<>();
    settings.forEach(setting -> known.add(setting.path()));
    Set<String> given = new TreeSet<>(top.fieldNames());
    section().fieldNames().forEach(key -> given.add(Setting.NODE_SECTION + "." + key));
    given.removeAll(known);
    given.forEach(key -> problems.add(printable(key) + ": is no setting; look for a typing error"));
    return problems;
  }

  /** Variables that look like the agent's and are no setting. */
  List<String> warnings(List<Setting<?>> settings) {
    Set<String> unknown = new TreeSet<>(variables.fieldNames());
    unknown.removeIf(name -> !concerns(name) || name.equals(DOCKER_HOST));
    settings.forEach(setting -> unknown.remove(setting.name()));
    return unknown.stream().map(name -> name + ": is no setting, and is ignored").toList();
  }

  private static String printable(String key) {
    return key.replaceAll("\\p{Cntrl}", "?");
  }
}
