package io.incudal.agent.config;

import java.util.Locale;
import java.util.Optional;

/**
 * One line of the table of settings.
 *
 * @param name of the environment variable, also in {@code .env}
 * @param fallback the built-in default
 * @param doc one line for an operator
 */
record Setting<T>(String name, Optional<String> fallback, Format<T> format, String doc) {
  static final String NODE_PREFIX = "IPXE_";
  static final String PANEL_PREFIX = "INCUDAL_";

  /** Section of the YAML file that holds the Agent API's settings. */
  static final String NODE_SECTION = "ipxe";

  boolean inNodeSection() {
    return name.startsWith(NODE_PREFIX);
  }

  /** Key in the YAML file: at its top, or in the section {@link #NODE_SECTION}. */
  String key() {
    String prefix = inNodeSection() ? NODE_PREFIX : PANEL_PREFIX;
    return name.substring(prefix.length()).toLowerCase(Locale.ROOT);
  }

  /** How a person names that key. */
  String path() {
    return inNodeSection() ? NODE_SECTION + "." + key() : key();
  }
}
