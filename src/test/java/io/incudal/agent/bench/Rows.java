package io.incudal.agent.bench;

import java.util.Locale;

/** The lines of the result table, tab-separated, for {@code scripts/bench} to print. */
final class Rows {
  private Rows() {}

  /** A figure that must not exceed its bar. */
  static void atMost(String what, double value, double bar, String format, String detail) {
    print(what, value, "<= " + text(format, bar), format, value <= bar ? "ok" : "FAIL", detail);
  }

  /** A figure that must reach its bar. */
  static void atLeast(String what, double value, double bar, String format, String detail) {
    print(what, value, ">= " + text(format, bar), format, value >= bar ? "ok" : "FAIL", detail);
  }

  /** A figure without a bar. */
  static void note(String what, double value, String format, String detail) {
    print(what, value, "", format, "", detail);
  }

  private static void print(
      String what, double value, String bar, String format, String verdict, String detail) {
    System.out.println(String.join("\t", what, text(format, value), bar, verdict, detail));
  }

  static String text(String format, Object... values) {
    return String.format(Locale.ROOT, format, values);
  }
}
