package io.incudal.agent.panel;

import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Comparator;
import java.util.Iterator;
import java.util.List;
import java.util.Map;

/**
 * Prints JSON in the one form whose hash the panel can compute again from the parsed body: keys
 * sorted by their UTF-8 bytes, no white space, numbers and strings as ECMAScript prints them.
 *
 * <p>Pure; any thread. Never HTML-escapes, and writes U+2028 and U+2029 escaped.
 */
final class CanonicalJson {
  /**
   * {@code String.compareTo} would compare UTF-16 units, and so misplace what is beyond the BMP.
   */
  private static final Comparator<String> BY_UTF8 =
      (left, right) -> Arrays.compareUnsigned(utf8(left), utf8(right));

  private final StringBuilder out = new StringBuilder(1024);

  private CanonicalJson() {}

  /**
   * @param value a map, list, string, number, boolean or {@code null}, or Vert.x's JSON types
   */
  static String print(Object value) {
    var printer = new CanonicalJson();
    printer.value(value);
    return printer.out.toString();
  }

  private void value(Object value) {
    if (value instanceof JsonObject object) {
      object(object.getMap());
    } else if (value instanceof Map<?, ?> map) {
      object(map);
    } else if (value instanceof JsonArray array) {
      array(array.getList());
    } else if (value instanceof List<?> list) {
      array(list);
    } else if (value instanceof String text) {
      string(text);
    } else if (value instanceof Number number) {
      // A panel in JavaScript reads every number as a double, so 2^53 + 1 has to be one here too.
      out.append(EcmaNumber.print(number.doubleValue()));
    } else if (value == null || value instanceof Boolean) {
      out.append(value);
    } else {
      throw new IllegalArgumentException("no JSON value: " + value.getClass().getName());
    }
  }

  private void object(Map<?, ?> members) {
    out.append('{');
    var keys = members.keySet().stream().map(String.class::cast).sorted(BY_UTF8).iterator();
    while (keys.hasNext()) {
      String key = keys.next();
      string(key);
      out.append(':');
      value(members.get(key));
      comma(keys);
    }
    out.append('}');
  }

  private void array(List<?> elements) {
    out.append('[');
    var rest = elements.iterator();
    while (rest.hasNext()) {
      value(rest.next());
      comma(rest);
    }
    out.append(']');
  }

  private void comma(Iterator<?> rest) {
    if (rest.hasNext()) {
      out.append(',');
    }
  }

  private void string(String text) {
    out.append('"');
    text.codePoints().forEach(this::character);
    out.append('"');
  }

  private void character(int c) {
    switch (c) {
      case '"' -> out.append("\\\"");
      case '\\' -> out.append("\\\\");
      case '\b' -> out.append("\\b");
      case '\f' -> out.append("\\f");
      case '\n' -> out.append("\\n");
      case '\r' -> out.append("\\r");
      case '\t' -> out.append("\\t");
      default -> {
        if (c < ' ' || c == 0x2028 || c == 0x2029 || isLoneSurrogate(c)) {
          out.append("\\u").append(String.format("%04x", c));
        } else {
          out.appendCodePoint(c);
        }
      }
    }
  }

  /** A pair is one code point; only half a pair is seen as a surrogate here. */
  private static boolean isLoneSurrogate(int c) {
    return c >= Character.MIN_SURROGATE && c <= Character.MAX_SURROGATE;
  }

  private static byte[] utf8(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }
}
