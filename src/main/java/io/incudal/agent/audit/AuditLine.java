package io.incudal.agent.audit;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import io.incudal.agent.config.Secret;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.OffsetDateTime;
import java.time.format.DateTimeFormatter;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;

/**
 * Prints an operation as the line that stands in the log. What clients sent comes out with secrets
 * masked and long values cut, so that a line stays below some ten KiB whatever they send. Used on
 * the writer's thread only.
 */
final class AuditLine {
  /** UTF-8 bytes of one value. */
  static final int MAX_VALUE = 1024;

  private static final JsonFactory JSON = new JsonFactory();
  // xxx prints +00:00, where XXX would print Z.
  private static final DateTimeFormatter TIME =
      DateTimeFormatter.ofPattern("uuuu-MM-dd'T'HH:mm:ss.SSSSSSxxx");

  private final Supplier<List<Secret>> secrets;
  private List<Secret> masked = List.of();

  /**
   * @param secrets what never reaches the log; asked for each line, because tokens change
   */
  AuditLine(Supplier<List<Secret>> secrets) {
    this.secrets = secrets;
  }

  /** Appends the line with its end to a batch. */
  void print(long id, OffsetDateTime time, AuditMessages.Append entry, ByteArrayOutputStream batch)
      throws IOException {
    masked = secrets.get();
    try (JsonGenerator json = JSON.createGenerator(batch)) {
      json.disable(JsonGenerator.Feature.AUTO_CLOSE_TARGET);
      json.writeStartObject();
      json.writeNumberField("id", id);
      json.writeStringField("ts", TIME.format(time));
      json.writeStringField("op", entry.op());
      json.writeObjectFieldStart("req");
      for (Map.Entry<String, Object> member : entry.req().entrySet()) {
        json.writeFieldName(member.getKey());
        printBounded(json, member.getValue());
      }
      json.writeEndObject();
      printOutcome(json, entry);
      json.writeEndObject();
    }
    batch.write('\n');
  }

  private void printOutcome(JsonGenerator json, AuditMessages.Append entry) throws IOException {
    json.writeStringField("result", entry.error().isPresent() ? "failed" : "ok");
    if (entry.error().isPresent()) {
      json.writeStringField("error", clean(entry.error().get()));
    }
    for (Map.Entry<String, Integer> count : entry.counts().entrySet()) {
      json.writeNumberField(count.getKey(), count.getValue());
    }
    json.writeStringField("client", clean(entry.caller().client()));
    if (entry.caller().principal().isPresent()) {
      json.writeStringField("principal", clean(entry.caller().principal().get()));
    }
  }

  /** A value that is too long as a whole becomes a text, so that it can be cut. */
  private void printBounded(JsonGenerator json, Object value) throws IOException {
    if (value == null || value instanceof Boolean || value instanceof String) {
      printValue(json, value);
      return;
    }
    var own = new ByteArrayOutputStream();
    try (JsonGenerator printer = JSON.createGenerator(own)) {
      printValue(printer, value);
    }
    String text = own.toString(StandardCharsets.UTF_8);
    if (own.size() <= MAX_VALUE) {
      json.writeRawValue(text);
    } else {
      json.writeString(cut(text));
    }
  }

  private void printValue(JsonGenerator json, Object value) throws IOException {
    if (value instanceof JsonObject object) {
      printValue(json, object.getMap());
    } else if (value instanceof JsonArray array) {
      printValue(json, array.getList());
    } else if (value instanceof Map<?, ?> object) {
      json.writeStartObject();
      for (Map.Entry<?, ?> member : object.entrySet()) {
        json.writeFieldName(clean(String.valueOf(member.getKey())));
        printValue(json, member.getValue());
      }
      json.writeEndObject();
    } else if (value instanceof Iterable<?> array) {
      json.writeStartArray();
      for (Object element : array) {
        printValue(json, element);
      }
      json.writeEndArray();
    } else {
      printScalar(json, value);
    }
  }

  private void printScalar(JsonGenerator json, Object value) throws IOException {
    if (value == null) {
      json.writeNull();
    } else if (value instanceof Boolean truth) {
      json.writeBoolean(truth);
    } else if (value instanceof Number number && isPlain(number)) {
      json.writeNumber(number.toString());
    } else {
      json.writeString(clean(value.toString()));
    }
  }

  /** NaN and the infinities are no JSON. */
  private static boolean isPlain(Number number) {
    return Double.isFinite(number.doubleValue()) || !(number instanceof Double);
  }

  /** Masks before it cuts: a secret cut in two would not be found any more. */
  private String clean(String text) {
    return cut(Secret.mask(text, masked));
  }

  /** Cuts between code points; what is no Unicode, such as half a surrogate pair, becomes '?'. */
  private static String cut(String text) {
    byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
    int end = Math.min(bytes.length, MAX_VALUE);
    while (end > 0 && end < bytes.length && (bytes[end] & 0xC0) == 0x80) {
      end--;
    }
    return new String(bytes, 0, end, StandardCharsets.UTF_8);
  }
}
