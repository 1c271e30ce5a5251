package io.incudal.agent.api;

import static io.incudal.agent.api.DocumentTree.list;
import static io.incudal.agent.api.DocumentTree.map;
import static io.incudal.agent.api.DocumentTree.resolve;

import io.vertx.core.json.Json;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * Lines for a shell, made of the contract's examples: a comment that ends with the status, then a
 * call.
 *
 * @param token whether the operation needs one
 */
record CurlExamples(Map<String, Object> document, boolean token) {
  /** One for each example of a body, or else just one. */
  List<String> of(String method, String path, Map<String, Object> model) {
    String way = method.equals("GET") ? "" : " -X " + method;
    Map<String, Object> body =
        map(map(map(model, "requestBody"), "content").get("application/json"));
    if (body.isEmpty()) {
      return List.of(curl("", way + parameters(list(model, "parameters")), path));
    }
    List<String> lines = new ArrayList<>();
    map(body, "examples")
        .values()
        .forEach(
            example -> {
              String sent = Json.encode(map(example).get("value"));
              String options = " -H 'Content-Type: application/json' \\\n  -d '" + sent + "'";
              lines.add(curl(map(example).get("summary") + ": ", options, path));
            });
    return lines;
  }

  private String curl(String what, String options, String path) {
    String shown = token ? " -H \"Authorization: Bearer $IPXE_AGENT_TOKEN\"" : "";
    return "# " + what + "200\ncurl -s" + shown + options + " \"$AGENT" + path + "\"";
  }

  private String parameters(List<Object> parameters) {
    var options = new StringBuilder(parameters.isEmpty() ? "" : " -G");
    for (Object given : parameters) {
      Map<String, Object> parameter = map(given);
      Object usual = resolve(document, parameter.get("schema")).get("example");
      options.append(" \\\n  --data-urlencode ").append(parameter.get("name")).append('=');
      options.append(parameter.getOrDefault("example", usual));
    }
    return options.toString();
  }
}
