package io.incudal.agent.target.lio;

import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * What {@code lio-saved restore} found and did.
 *
 * @param source {@code saved}, {@code copy} when the saved configuration could not be read, or
 *     {@code none}
 * @param left saved targets that were not restored, and why
 * @param errors what a restored target lacks
 * @param saved all targets that are saved
 * @param kernel how many targets the kernel has now
 * @param unsaved those of them that are not saved
 * @param closed those of them that let nobody in though they are not saved so
 * @param idle fileio backstores that nothing uses and that are not saved
 */
record Restored(
    String source,
    List<String> restored,
    Map<String, String> left,
    List<String> errors,
    List<String> saved,
    int kernel,
    List<String> unsaved,
    List<String> closed,
    List<Idle> idle) {

  /** A backstore without a LUN. */
  record Idle(String name, String image) {}

  static Restored parse(JsonObject text) {
    Map<String, String> left = new LinkedHashMap<>();
    text.getJsonObject("left").forEach(entry -> left.put(entry.getKey(), "" + entry.getValue()));
    return new Restored(
        text.getString("source"),
        strings(text, "restored"),
        left,
        strings(text, "errors"),
        strings(text, "saved"),
        text.getInteger("kernel"),
        strings(text, "unsaved"),
        strings(text, "closed"),
        text.getJsonArray("idle").stream().map(Restored::idle).toList());
  }

  private static Idle idle(Object entry) {
    var backstore = (JsonObject) entry;
    return new Idle(backstore.getString("name"), backstore.getString("image"));
  }

  private static List<String> strings(JsonObject text, String member) {
    JsonArray array = text.getJsonArray(member);
    return array.stream().map(Object::toString).toList();
  }
}
