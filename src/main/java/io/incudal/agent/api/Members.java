package io.incudal.agent.api;

import io.incudal.agent.bus.AgentException;
import io.incudal.agent.bus.ErrorCode;
import io.incudal.agent.lun.Sent;
import io.vertx.core.MultiMap;
import java.math.BigInteger;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.regex.Pattern;

/** Takes the known members out of what was sent, in the contract's order. */
final class Members {
  private static final Pattern WHOLE = Pattern.compile("[0-9]{1,100}");

  private Members() {}

  /** Those of a body, as they are; {@code null} for those that are not there. */
  static Sent of(Map<String, Object> body, List<String> known) {
    return pick(known, body::get);
  }

  /**
   * Those of a query: a string, {@code null} when it is not there, and a list when it was given
   * more than once, which {@code lun} refuses as it does every other wrong type.
   */
  static Sent of(MultiMap query, List<String> known) {
    return pick(
        known,
        name -> {
          List<String> values = query.getAll(name);
          return values.isEmpty() ? null : values.size() == 1 ? values.get(0) : values;
        });
  }

  /**
   * A whole number of the query, without sign.
   *
   * @param max what larger numbers count as
   * @throws AgentException {@link ErrorCode#INVALID_PARAMETER}
   */
  static long number(MultiMap query, String name, Range range) {
    List<String> values = query.getAll(name);
    if (values.isEmpty()) {
      return range.absent();
    }
    if (values.size() > 1 || !WHOLE.matcher(values.get(0)).matches()) {
      throw invalid(name, range);
    }
    var number = new BigInteger(values.get(0));
    if (number.compareTo(BigInteger.valueOf(range.min())) < 0) {
      throw invalid(name, range);
    }
    return number.min(BigInteger.valueOf(range.max())).longValueExact();
  }

  /**
   * @param absent what it is when it is not given
   * @param max what larger numbers count as
   */
  record Range(long absent, long min, long max) {}

  private static Sent pick(List<String> known, Function<String, Object> value) {
    Map<String, Object> members = new LinkedHashMap<>();
    for (String name : known) {
      members.put(name, value.apply(name));
    }
    return new Sent(members);
  }

  private static AgentException invalid(String name, Range range) {
    return new AgentException(
        ErrorCode.INVALID_PARAMETER,
        "'" + name + "' has to be a whole number of at least " + range.min());
  }
}
