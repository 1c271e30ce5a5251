package io.incudal.agent.audit;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import java.io.IOException;

/** Tells lines that can be handed to a reader from those that cannot. Stateless. */
final class LineId {
  /** Of a line that is no JSON object with an id, and so is passed over. */
  static final long NONE = -1;

  private static final JsonFactory JSON =
      JsonFactory.builder().disable(JsonFactory.Feature.INTERN_FIELD_NAMES).build();

  private LineId() {}

  /** The id of a line that is wholly one JSON object; else {@link #NONE}. */
  static long of(byte[] bytes, int offset, int length) {
    try (JsonParser json = JSON.createParser(bytes, offset, length)) {
      if (json.nextToken() != JsonToken.START_OBJECT) {
        return NONE;
      }
      long id = NONE;
      while (json.nextToken() == JsonToken.FIELD_NAME) {
        boolean isId = json.currentName().equals("id");
        JsonToken value = json.nextToken();
        if (isId && value == JsonToken.VALUE_NUMBER_INT) {
          id = Math.max(NONE, json.getLongValue());
        } else {
          json.skipChildren();
        }
      }
      return json.nextToken() == null ? id : NONE;
    } catch (IOException broken) {
      return NONE;
    }
  }
}
