package io.incudal.agent.api;

import static io.incudal.agent.api.DocumentTree.list;
import static io.incudal.agent.api.DocumentTree.map;
import static io.incudal.agent.api.DocumentTree.resolve;

import io.incudal.agent.bus.ErrorCode;
import io.vertx.core.json.Json;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.yaml.snakeyaml.Yaml;

/**
 * Renders the contract for people who read: one section a call, with an example that can be pasted
 * into a shell. What it says stands in {@code openapi.yaml}, and only there.
 */
final class ApiReference {
  private static final String PREFACE =
      """
      # API reference

      <!-- Made from src/main/resources/openapi.yaml; edit that, then:
           mvn -q test -Dtest=ApiReferenceTest -Ddocs.write=true -->

      [Operations](operations.md) tells what to do about each failure, [security](security.md) what
      a token may do.

      """;

  private static final String EXAMPLES =
      """
      ## Examples

      They are for a node with the usual `IPXE_IQN_BASE`, on `stgt`, that is ready and has no disks
      yet, and into whose image directory `_tpl_ubuntu_2204.img`, `worker-01.Windows.iso` and
      `Win10_22H2.iso` were copied after that: a scan, also that of a start, would export the CDs. In
      their order, each call gets the status at the end of its comment.

      ```sh
      AGENT=http://localhost:4840
      export IPXE_AGENT_TOKEN=…
      ```

      """;

  private final Map<String, Object> document;
  private final StringBuilder text = new StringBuilder(PREFACE);

  private ApiReference(Map<String, Object> document) {
    this.document = document;
  }

  static String render(String yaml) {
    return new ApiReference(new Yaml().load(yaml)).render();
  }

  private String render() {
    Map<String, Object> info = map(document, "info");
    text.append(info.get("summary")).append("\n\n").append(info.get("description")).append('\n');
    overview();
    Map<String, Object> schemes = map(map(document, "components"), "securitySchemes");
    text.append("## Authorization\n\n").append(map(schemes, "bearer").get("description"));
    text.append('\n');
    text.append(EXAMPLES);
    for (Object tag : list(document, "tags")) {
      Map<String, Object> known = map(tag);
      text.append("## ").append(capital((String) known.get("name"))).append("\n\n");
      text.append(known.get("description")).append("\n\n");
      operations().stream()
          .filter(call -> list(call.model, "tags").contains(known.get("name")))
          .forEach(this::call);
    }
    errors();
    return text.toString();
  }

  /** One operation, and where it is found. */
  private record Call(String method, String path, Map<String, Object> model) {
    String title() {
      return method + " " + path;
    }

    String anchor() {
      return title().toLowerCase().replaceAll("[^a-z -]", "").replace(' ', '-');
    }
  }

  private List<Call> operations() {
    List<Call> calls = new ArrayList<>();
    map(document, "paths")
        .forEach(
            (path, methods) ->
                map(methods)
                    .forEach(
                        (method, model) ->
                            calls.add(new Call(method.toUpperCase(), path, map(model)))));
    return calls;
  }

  private void overview() {
    row("call", "scope", "what it does");
    row("---", "---", "---");
    for (Call call : operations()) {
      row(
          "[`" + call.title() + "`](#" + call.anchor() + ")",
          scope(call),
          (String) call.model.get("summary"));
    }
    text.append('\n');
  }

  private String scope(Call call) {
    List<Object> security = list(call.model.getOrDefault("security", document.get("security")));
    if (security.isEmpty()) {
      return "no token";
    }
    List<Object> scopes = list(map(security.get(0)), "bearer");
    return scopes.isEmpty() ? "any token" : "`" + scopes.get(0) + "`";
  }

  private void call(Call call) {
    text.append("### ").append(call.title()).append("\n\n");
    text.append(call.model.get("summary")).append(" Needs ").append(scope(call)).append(".\n\n");
    if (call.model.containsKey("description")) {
      text.append(((String) call.model.get("description")).strip()).append("\n\n");
    }
    parameters(call);
    body(call);
    List<String> examples =
        new CurlExamples(document, !scope(call).equals("no token"))
            .of(call.method, call.path, call.model);
    text.append("```sh\n").append(String.join("\n", examples)).append("\n```\n\n");
    answers(call);
  }

  private void parameters(Call call) {
    List<Object> parameters = list(call.model, "parameters");
    if (parameters.isEmpty()) {
      return;
    }
    row("parameter", "type", "meaning");
    row("---", "---", "---");
    for (Object given : parameters) {
      Map<String, Object> parameter = map(given);
      boolean needed = Boolean.TRUE.equals(parameter.get("required"));
      Map<String, Object> schema = resolved(parameter.get("schema"));
      Object usual = schema.get("default");
      row(
          "`" + parameter.get("name") + "`",
          type(schema) + (needed ? "" : ", default `" + usual + "`"),
          parameter.get("description") + "\n" + schema.getOrDefault("description", ""));
    }
    text.append('\n');
  }

  private void body(Call call) {
    if (call.model.get("requestBody") != null) {
      Map<String, Object> body = map(call.model, "requestBody");
      Map<String, Object> schema = resolved(json(body).get("schema"));
      String more = body.get("description") + " " + schema.getOrDefault("description", "");
      text.append("The body is a JSON object. ").append(more.strip()).append("\n\n");
      members(schema);
    }
  }

  private void answers(Call call) {
    row("status", "`code`", "meaning");
    row("---", "---", "---");
    Map<String, Object> good = new LinkedHashMap<>();
    map(call.model, "responses")
        .forEach(
            (status, given) -> {
              Map<String, Object> answer = resolved(given);
              if (status.equals("200")) {
                good.putAll(answer);
              }
              row(
                  status,
                  codes(answer).stream()
                      .map(code -> "`" + code + "`")
                      .collect(Collectors.joining(", ")),
                  (String) answer.get("description"));
            });
    text.append('\n');
    result(good);
  }

  private void result(Map<String, Object> good) {
    Map<String, Object> content = map(good, "content");
    if (!content.containsKey("application/json")) {
      text.append("The `200` is `").append(content.keySet().iterator().next()).append("`.\n\n");
      return;
    }
    Map<String, Object> media = json(good);
    Map<String, Object> schema = resolved(media.get("schema"));
    text.append("The `200` is ");
    text.append("array".equals(schema.get("type")) ? "an array" : "an object").append(":\n\n");
    members(schema);
    Object example =
        media.containsKey("examples")
            ? map(map(media, "examples").values().iterator().next()).get("value")
            : media.getOrDefault("example", schema.get("example"));
    text.append("```json\n").append(Json.encode(example)).append("\n```\n\n");
  }

  private void members(Map<String, Object> schema) {
    row("member", "type", "meaning");
    row("---", "---", "---");
    if ("array".equals(schema.get("type"))) {
      members("[].", resolved(schema.get("items")));
    } else {
      members("", schema);
    }
    text.append('\n');
  }

  private void members(String prefix, Map<String, Object> schema) {
    map(schema, "properties")
        .forEach(
            (name, given) -> {
              Map<String, Object> member = resolved(given);
              boolean needed = list(schema, "required").contains(name);
              row(
                  "`" + prefix + name + "`",
                  type(member) + (needed ? "" : ", optional"),
                  (String) member.getOrDefault("description", ""));
              if ("array".equals(member.get("type"))) {
                members(prefix + name + "[].", resolved(member.get("items")));
              } else {
                members(prefix + name + ".", member);
              }
            });
  }

  private void errors() {
    text.append("## Errors\n\n");
    Map<String, Object> problem = map(map(map(document, "components"), "schemas"), "Problem");
    text.append(problem.get("description")).append('\n');
    members(problem);
    row("`code`", "status", "`title`");
    row("---", "---", "---");
    for (Object word : list(resolved(map(problem, "properties").get("code")), "enum")) {
      ErrorCode code = ErrorCode.valueOf(word.toString().toUpperCase());
      row("`" + word + "`", Integer.toString(code.status()), code.title());
    }
    text.append("\n```json\n").append(Json.encode(problem.get("example"))).append("\n```\n");
  }

  private List<String> codes(Map<String, Object> answer) {
    Object problem = map(answer, "content").get("application/problem+json");
    return list(map(map(problem).get("schema")), "allOf").stream()
        .flatMap(part -> list(map(map(map(part), "properties").get("code")), "enum").stream())
        .map(Object::toString)
        .toList();
  }

  private String type(Map<String, Object> schema) {
    if (schema.containsKey("const")) {
      return "`" + schema.get("const") + "`";
    }
    if (schema.containsKey("enum") && list(schema, "enum").size() < 10) {
      return list(schema, "enum").stream()
          .map(word -> "`" + word + "`")
          .collect(Collectors.joining(" or "));
    }
    if ("array".equals(schema.get("type"))) {
      return "array of " + type(resolved(schema.get("items")));
    }
    return schema.get("type") instanceof List<?> several
        ? several.stream().map(String::valueOf).collect(Collectors.joining(" or "))
        : String.valueOf(schema.get("type"));
  }

  private void row(String... cells) {
    for (String cell : cells) {
      text.append("| ")
          .append(cell.strip().replaceAll("\\s+", " ").replace("|", "\\|"))
          .append(' ');
    }
    text.append("|\n");
  }

  private Map<String, Object> resolved(Object given) {
    return resolve(document, given);
  }

  private static Map<String, Object> json(Map<String, Object> holder) {
    return map(map(holder, "content").get("application/json"));
  }

  private static String capital(String word) {
    return word.substring(0, 1).toUpperCase() + word.substring(1);
  }
}
