package io.incudal.agent.api;

import java.util.List;
import java.util.Map;

/** Walks through a document of maps and lists, where what is not there is empty. */
final class DocumentTree {
  private DocumentTree() {}

  @SuppressWarnings("unchecked")
  static Map<String, Object> map(Object given) {
    return given == null ? Map.of() : (Map<String, Object>) given;
  }

  static Map<String, Object> map(Map<String, Object> holder, String key) {
    return map(holder.get(key));
  }

  @SuppressWarnings("unchecked")
  static List<Object> list(Object given) {
    return given == null ? List.of() : (List<Object>) given;
  }

  static List<Object> list(Map<String, Object> holder, String key) {
    return list(holder.get(key));
  }

  /** The part of an OpenAPI document that a {@code $ref} leads to, or else what was given. */
  static Map<String, Object> resolve(Map<String, Object> document, Object given) {
    Map<String, Object> found = map(given);
    if (!found.containsKey("$ref")) {
      return found;
    }
    Map<String, Object> place = document;
    for (String step : ((String) found.get("$ref")).substring(2).split("/")) {
      place = map(place, step);
    }
    return place;
  }
}
