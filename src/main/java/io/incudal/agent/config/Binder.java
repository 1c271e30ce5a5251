package io.incudal.agent.config;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Turns raw values into typed ones and collects what is wrong, so that an operator sees all of it
 * at once. Where a value is unusable it hands out the default, or {@code null} where there is none;
 * neither leaves the loader then.
 */
final class Binder {
  private final RawConfig raw;
  private final List<String> problems = new ArrayList<>();
  private final List<String> effective = new ArrayList<>();

  Binder(RawConfig raw) {
    this.raw = raw;
  }

  /** A setting that has a default, or has to be given. */
  <T> T required(Setting<T> setting) {
    Optional<T> value = optional(setting);
    if (value.isEmpty() && raw.find(setting).isEmpty()) {
      problem(setting.name() + ": is missing (in YAML: " + setting.path() + ")");
    }
    return value.orElse(null);
  }

  <T> Optional<T> optional(Setting<T> setting) {
    Optional<RawConfig.Found> found = raw.find(setting);
    Optional<T> value = found.flatMap(given -> read(setting, given));
    if (value.isPresent()) {
      note(setting, value.get(), found.get().text());
      return value;
    }
    Optional<T> fallback = setting.fallback().map(setting.format()::read);
    fallback.ifPresent(usual -> note(setting, usual, setting.fallback().get()));
    return fallback;
  }

  private <T> Optional<T> read(Setting<T> setting, RawConfig.Found given) {
    try {
      Formats.require(
          given.quoted() || setting.format().bare(), "has to stand in quotes, to be a text");
      Formats.require(
          given.text().chars().noneMatch(Character::isISOControl), "holds a control character");
      return Optional.of(setting.format().read(given.text()));
    } catch (IllegalArgumentException unusable) {
      problem(given.origin() + ": " + unusable.getMessage());
      return Optional.empty();
    }
  }

  private void note(Setting<?> setting, Object value, String text) {
    String shown = value instanceof Secret ? value.toString() : text;
    effective.add(setting.name() + "=" + (shown.contains(" ") ? '"' + shown + '"' : shown));
  }

  void problem(String text) {
    problems.add(text);
  }

  List<String> problems() {
    return problems;
  }

  List<String> effective() {
    return effective;
  }
}
