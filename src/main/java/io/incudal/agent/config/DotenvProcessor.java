package io.incudal.agent.config;

import io.vertx.config.spi.ConfigProcessor;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Reads {@code .env} files, found by vertx-config through its service loader. Values stay the texts
 * that they are: the format {@code properties} would eat backslashes, keep quotes and turn {@code
 * 007} into 7.
 */
public final class DotenvProcessor implements ConfigProcessor {
  static final String FORMAT = "dotenv";

  private static final Pattern ASSIGNMENT =
      Pattern.compile("(?:export\\s+)?([A-Za-z_][A-Za-z0-9_]*)\\s*=\\s*(.*)");
  private static final Pattern QUOTED = Pattern.compile("(['\"])(.*?)\\1\\s*(?:#.*)?");
  private static final Pattern COMMENT = Pattern.compile("(?:^|\\s+)#.*$");

  /** Called by vertx-config. */
  public DotenvProcessor() {}

  @Override
  public String name() {
    return FORMAT;
  }

  @Override
  public Future<JsonObject> process(Vertx vertx, JsonObject configuration, Buffer input) {
    return Future.succeededFuture(parse(input.toString()));
  }

  /** Variables and complaints, under the keys that {@link RawConfig} reads. */
  static JsonObject parse(String content) {
    var variables = new JsonObject();
    var complaints = new JsonArray();
    int number = 0;
    for (String raw : content.replace("\uFEFF", "").split("\r?\n", -1)) {
      number++;
      String line = raw.strip();
      if (line.isEmpty() || line.startsWith("#")) {
        continue;
      }
      Matcher assignment = ASSIGNMENT.matcher(line);
      Optional<String> value =
          assignment.matches() ? unquote(assignment.group(2)) : Optional.empty();
      if (value.isPresent()) {
        variables.put(assignment.group(1), value.get());
      } else {
        complaints.add("line " + number + " of .env: is not KEY=VALUE");
      }
    }
    return new JsonObject()
        .put(RawConfig.VARIABLES, variables)
        .put(RawConfig.COMPLAINTS, complaints);
  }

  private static Optional<String> unquote(String value) {
    if (value.startsWith("'") || value.startsWith("\"")) {
      Matcher quoted = QUOTED.matcher(value);
      return quoted.matches() ? Optional.of(quoted.group(2)) : Optional.empty();
    }
    return Optional.of(COMMENT.matcher(value).replaceFirst("").stripTrailing());
  }
}
