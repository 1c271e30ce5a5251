package io.incudal.agent.api;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonLocation;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.ObjectReader;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.incudal.agent.bus.AgentException;
import io.incudal.agent.bus.ErrorCode;
import io.vertx.core.buffer.Buffer;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;

/**
 * Reads a body as exactly one JSON object, whatever its {@code Content-Type} says: deployed clients
 * send all kinds. Strict about the rest, because what two readers read differently is an attack.
 *
 * <p>Never repeats what was sent: a body may hold a secret by mistake.
 */
final class JsonBody {
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

  private JsonBody() {}

  /**
   * The members, with values as Java has them: strings, numbers, booleans, {@code null}, lists,
   * maps.
   *
   * @throws AgentException {@link ErrorCode#INVALID_BODY}
   */
  static Map<String, Object> parse(Buffer body) {
    Map<String, Object> members;
    try {
      members = READER.readValue(text(body));
    } catch (CharacterCodingException notText) {
      throw invalid("the body is not UTF-8");
    } catch (JsonProcessingException notJson) {
      throw invalid("the body is not one JSON object" + place(notJson.getLocation()));
    }
    if (members == null) {
      throw invalid("the body is null, not a JSON object");
    }
    if (!isText(members)) {
      throw invalid("a string holds half of a surrogate pair");
    }
    return members;
  }

  /** JSON can spell strings that no file name, header or log can hold. */
  private static boolean isText(Object value) {
    if (value instanceof String string) {
      return StandardCharsets.UTF_8.newEncoder().canEncode(string);
    }
    if (value instanceof Map<?, ?> members) {
      return members.keySet().stream().allMatch(JsonBody::isText)
          && members.values().stream().allMatch(JsonBody::isText);
    }
    return !(value instanceof List<?> items) || items.stream().allMatch(JsonBody::isText);
  }

  private static String text(Buffer body) throws CharacterCodingException {
    String text =
        StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(body.getBytes())).toString();
    if (text.isBlank()) {
      throw invalid("the body is empty; send a JSON object");
    }
    return text.charAt(0) == BYTE_ORDER_MARK ? text.substring(1) : text;
  }

  private static String place(JsonLocation location) {
    return location == null || location.getLineNr() < 1
        ? ""
        : " (line " + location.getLineNr() + ", column " + location.getColumnNr() + ")";
  }

  private static AgentException invalid(String detail) {
    return new AgentException(ErrorCode.INVALID_BODY, detail);
  }
}
