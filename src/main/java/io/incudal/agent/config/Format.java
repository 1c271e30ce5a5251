package io.incudal.agent.config;

import java.util.function.Function;

/**
 * How the text of a setting becomes its value.
 *
 * @param bare whether YAML may give it without quotes as a number or a truth value; a text that
 *     YAML took for a number has lost its leading zeros already
 * @param reader throws an {@link IllegalArgumentException} whose message follows the setting's name
 *     and holds no part of the text
 */
record Format<T>(boolean bare, Function<String, T> reader) {
  T read(String text) {
    return reader.apply(text);
  }
}
