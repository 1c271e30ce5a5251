package io.incudal.agent.config;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;

/** The settings of one role in the order in which an operator reads them. Not thread-safe. */
final class SettingTable {
  private final List<Setting<?>> rows = new ArrayList<>();

  <T> Setting<T> add(String name, String fallback, Format<T> format, String doc) {
    return add(new Setting<>(name, Optional.of(fallback), format, doc));
  }

  /** A setting without a default. */
  <T> Setting<T> add(String name, Format<T> format, String doc) {
    return add(new Setting<>(name, Optional.empty(), format, doc));
  }

  private <T> Setting<T> add(Setting<T> row) {
    rows.add(row);
    return row;
  }

  List<Setting<?>> rows() {
    return Collections.unmodifiableList(rows);
  }
}
