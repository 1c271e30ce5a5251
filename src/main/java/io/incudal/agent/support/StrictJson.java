package io.incudal.agent.support;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonLocation;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.ObjectReader;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.vertx.core.buffer.Buffer;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;

/**
 * Reads exactly one JSON object that a stranger has sent. Strict, because what two readers read
 * differently is an attack.
 *
 * <p>Never repeats what was sent: it may hold a secret by mistake.
 */
public final class StrictJson {
  private static final int MAX_DEPTH = 32;
  private static final int MAX_DIGITS = 100;
  private static final char BYTE_ORDER_MARK = '\uFEFF';

  private static final ObjectReader READER =
      JsonMapper.builder(
              JsonFactory.builder()
                  .streamReadConstraints(
                      StreamReadConstraints.builder()
                          .maxNestingDepth(MAX_DEPTH)
                          .maxNumberLength(MAX_DIGITS)
                          .build())
                  .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
                  .build())
          .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
          .enable(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS)
          .build()
          .readerForMapOf(Object.class);

  private StrictJson() {}

  /**
   * The members, with values as Java has them: strings, numbers, booleans, {@code null}, lists,
   * maps.
   *
   * @throws IllegalArgumentException when it is none; says what it is instead, as in "is empty"
   */
  public static Map<String, Object> parse(Buffer json) {
    Map<String, Object> members;
    try {
      members = READER.readValue(text(json));
    } catch (CharacterCodingException notText) {
      throw invalid("is not UTF-8");
    } catch (JsonProcessingException notJson) {
      throw invalid("is not one JSON object" + place(notJson.getLocation()));
    }
    if (members == null) {
      throw invalid("is null, not a JSON object");
    }
    if (!isText(members)) {
      throw invalid("has a string with half of a surrogate pair");
    }
    return members;
  }

  /** JSON can spell strings that no file name, header or log can hold. */
  private static boolean isText(Object value) {
    if (value instanceof String string) {
      return StandardCharsets.UTF_8.newEncoder().canEncode(string);
    }
    if (value instanceof Map<?, ?> members) {
      return members.keySet().stream().allMatch(StrictJson::isText)
          && members.values().stream().allMatch(StrictJson::isText);
    }
    return !(value instanceof List<?> items) || items.stream().allMatch(StrictJson::isText);
  }

  private static String text(Buffer json) throws CharacterCodingException {
    String text =
        StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(json.getBytes())).toString();
    if (text.isBlank()) {
      throw invalid("is empty");
    }
    return text.charAt(0) == BYTE_ORDER_MARK ? text.substring(1) : text;
  }

  private static String place(JsonLocation location) {
    return location == null || location.getLineNr() < 1
        ? ""
        : " (line " + location.getLineNr() + ", column " + location.getColumnNr() + ")";
  }

  private static IllegalArgumentException invalid(String detail) {
    return new IllegalArgumentException(detail);
  }
}
