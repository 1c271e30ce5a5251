package io.incudal.agent.image;

import io.incudal.agent.bus.AgentException;
import io.incudal.agent.bus.ErrorCode;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The size of a disk: a positive multiple of 512 bytes. */
public record DiskSize(long bytes) {
  private static final BigDecimal BLOCK = BigDecimal.valueOf(512);
  private static final Pattern FORM =
      Pattern.compile(
          "([0-9]{1,19})(?:\\.([0-9]{1,19}))?(?:([KMGT])(?:i?B)?)?", Pattern.CASE_INSENSITIVE);

  /**
   * Reads {@code <number>[K|M|G|T][iB|B]}, binary units; a bare number is bytes.
   *
   * @param max the largest allowed result
   * @throws AgentException {@link ErrorCode#INVALID_SIZE}
   */
  public static DiskSize parse(String sent, long max) {
    Matcher form = FORM.matcher(sent);
    if (!form.matches() || (form.group(2) != null && form.group(3) == null)) {
      throw invalid("use a number with K, M, G or T, such as 20G or 1.5T, or whole bytes");
    }
    String fraction = form.group(2);
    var number = new BigDecimal(form.group(1) + (fraction == null ? "" : "." + fraction));
    BigDecimal bytes = number.multiply(unit(form.group(3)));
    if (fraction != null) {
      bytes = bytes.divide(BLOCK, 0, RoundingMode.CEILING).multiply(BLOCK);
    }
    if (bytes.signum() <= 0 || bytes.remainder(BLOCK).signum() != 0) {
      throw invalid("it has to be a positive multiple of 512 bytes");
    }
    if (bytes.compareTo(BigDecimal.valueOf(max)) > 0) {
      throw invalid("it is above the limit of " + max + " bytes");
    }
    return new DiskSize(bytes.longValueExact());
  }

  private static BigDecimal unit(String letter) {
    int power = letter == null ? 0 : "KMGT".indexOf(Character.toUpperCase(letter.charAt(0))) + 1;
    return BigDecimal.valueOf(1L << (10 * power));
  }

  private static AgentException invalid(String why) {
    return new AgentException(ErrorCode.INVALID_SIZE, "the size is not valid: " + why);
  }
}
