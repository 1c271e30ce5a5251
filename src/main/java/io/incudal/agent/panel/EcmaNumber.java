package io.incudal.agent.panel;

import java.math.BigDecimal;
import java.math.MathContext;
import java.math.RoundingMode;

/**
 * Prints a double as ECMAScript's {@code Number::toString} does.
 *
 * <p>Java 17's own {@link Double#toString} is no base for it: it may give more digits than are
 * needed (JDK-4511638, mended in 19), such as 2.0E-3 but 2.2E-322 with one digit too many. The
 * search below is exact and slow (microseconds), which is fine for the few numbers of a heartbeat.
 */
final class EcmaNumber {
  /** Below it every whole double is printed by its digits alone. */
  private static final double MAX_SAFE_INTEGER = 1L << 53;

  /** No double needs more significant digits. */
  private static final int MAX_DIGITS = 17;

  private EcmaNumber() {}

  /**
   * @throws IllegalArgumentException for what JSON has no number for
   */
  static String print(double value) {
    if (!Double.isFinite(value)) {
      throw new IllegalArgumentException("no JSON number: " + value);
    }
    if (value == Math.rint(value) && Math.abs(value) < MAX_SAFE_INTEGER) {
      return Long.toString((long) value);
    }
    String unsigned = layOut(shortest(Math.abs(value)));
    return value < 0 ? "-" + unsigned : unsigned;
  }

  /** The number of fewest digits that reads back as {@code value}; of several, the closest. */
  private static BigDecimal shortest(double value) {
    BigDecimal exact = new BigDecimal(value);
    for (int digits = 1; digits < MAX_DIGITS; digits++) {
      BigDecimal below = exact.round(new MathContext(digits, RoundingMode.DOWN));
      BigDecimal above = exact.round(new MathContext(digits, RoundingMode.UP));
      // Both sides: next to a power of two, the nearer one may read back as another double.
      boolean lower = below.doubleValue() == value;
      boolean upper = above.doubleValue() == value;
      if (lower && upper) {
        return exact.round(new MathContext(digits, RoundingMode.HALF_EVEN));
      }
      if (lower || upper) {
        return lower ? below : above;
      }
    }
    return exact.round(new MathContext(MAX_DIGITS, RoundingMode.HALF_EVEN));
  }

  private static String layOut(BigDecimal number) {
    BigDecimal bare = number.stripTrailingZeros();
    String digits = bare.unscaledValue().toString();
    // The decimal point stands behind this many digits.
    int point = digits.length() - bare.scale();
    if (point > 21 || point <= -6) {
      int exponent = point - 1;
      String fraction = digits.length() == 1 ? "" : "." + digits.substring(1);
      return digits.charAt(0) + fraction + "e" + (exponent < 0 ? "" : "+") + exponent;
    }
    if (point >= digits.length()) {
      return digits + "0".repeat(point - digits.length());
    }
    if (point > 0) {
      return digits.substring(0, point) + "." + digits.substring(point);
    }
    return "0." + "0".repeat(-point) + digits;
  }
}
