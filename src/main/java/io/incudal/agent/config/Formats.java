package io.incudal.agent.config;

import java.math.BigInteger;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Locale;
import java.util.Map;
import java.util.OptionalInt;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The forms that settings can have. Their messages say what is allowed, never what was given. */
final class Formats {
  private static final Pattern SIZE =
      Pattern.compile("([0-9]{1,19})(?:([KMGT])(?:i?B)?)?", Pattern.CASE_INSENSITIVE);
  private static final BigInteger MAX_SIZE = BigInteger.ONE.shiftLeft(60);
  private static final int BLOCK = 512;

  private Formats() {}

  /** A text of a fixed form. */
  static Format<String> text(String pattern, String form) {
    Pattern compiled = Pattern.compile(pattern);
    return new Format<>(
        false,
        text -> {
          require(compiled.matcher(text).matches(), "has to be " + form);
          return text;
        });
  }

  /** The same, folded to lower case before it is looked at. */
  static Format<String> lowerCase(String pattern, String form) {
    Format<String> text = text(pattern, form);
    return new Format<>(false, given -> text.read(given.toLowerCase(Locale.ROOT)));
  }

  static Format<Integer> integer(int min, int max) {
    return new Format<>(
        true,
        text -> {
          String form = "has to be a whole number from " + min + " to " + max;
          require(text.matches("-?[0-9]{1,9}"), form);
          int value = Integer.parseInt(text);
          require(value >= min && value <= max, form);
          return value;
        });
  }

  static Format<OptionalInt> optionalInteger(int min, int max) {
    Format<Integer> integer = integer(min, max);
    return new Format<>(true, text -> OptionalInt.of(integer.read(text)));
  }

  /** Whole seconds. */
  static Format<Duration> seconds(int min, int max) {
    Format<Integer> integer = integer(min, max);
    return new Format<>(true, text -> Duration.ofSeconds(integer.read(text)));
  }

  /** Whole seconds, moved to the nearer limit when they lie outside. */
  static Format<Duration> clampedSeconds(int min, int max) {
    Format<Integer> integer = integer(0, 999_999_999);
    return new Format<>(
        true, text -> Duration.ofSeconds(Math.max(min, Math.min(max, integer.read(text)))));
  }

  static Format<Boolean> flag() {
    return new Format<>(
        true,
        text ->
            switch (text.toLowerCase(Locale.ROOT)) {
              case "true", "1", "yes", "on" -> true;
              case "false", "0", "no", "off" -> false;
              default -> throw new IllegalArgumentException("has to be true or false");
            });
  }

  /** One of some words, in any case. */
  static <T> Format<T> choice(Map<String, T> words) {
    return new Format<>(
        false,
        text -> {
          T value = words.get(text.toLowerCase(Locale.ROOT));
          require(value != null, "has to be one of " + words.keySet().stream().sorted().toList());
          return value;
        });
  }

  static Format<Path> absolutePath() {
    return new Format<>(
        false,
        text -> {
          String form = "has to be an absolute path";
          require(text.startsWith("/"), form);
          try {
            return Path.of(text).normalize();
          } catch (InvalidPathException unusable) {
            throw new IllegalArgumentException(form, unusable);
          }
        });
  }

  /** Whole binary units, such as 16T, or bytes. */
  static Format<Long> size() {
    return new Format<>(
        true,
        text -> {
          String form = "has to be a size such as 16T, a positive multiple of 512 bytes";
          Matcher parts = SIZE.matcher(text);
          require(parts.matches(), form);
          BigInteger bytes = new BigInteger(parts.group(1)).shiftLeft(shift(parts.group(2)));
          require(bytes.signum() > 0 && bytes.compareTo(MAX_SIZE) <= 0, form);
          require(bytes.longValueExact() % BLOCK == 0, form);
          return bytes.longValueExact();
        });
  }

  private static int shift(String unit) {
    return unit == null ? 0 : 10 * ("KMGT".indexOf(unit.toUpperCase(Locale.ROOT)) + 1);
  }

  static void require(boolean holds, String form) {
    if (!holds) {
      throw new IllegalArgumentException(form);
    }
  }
}
