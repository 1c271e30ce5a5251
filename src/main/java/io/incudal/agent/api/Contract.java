package io.incudal.agent.api;

import static java.util.stream.Collectors.groupingBy;
import static java.util.stream.Collectors.toCollection;
import static java.util.stream.Collectors.toMap;

import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.json.JsonObject;
import io.vertx.openapi.contract.OpenAPIContract;
import io.vertx.openapi.contract.Operation;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.yaml.snakeyaml.LoaderOptions;
import org.yaml.snakeyaml.Yaml;
import org.yaml.snakeyaml.constructor.SafeConstructor;

/**
 * The contract document, and what the router does not take from it by itself: which paths are open,
 * which scopes an operation needs, which methods a path knows.
 *
 * <p>Immutable. Reading and checking the document is left to Vert.x's own workers.
 */
final class Contract {
  private static final String RESOURCE = "openapi.yaml";

  /** vertx-openapi 5.0 knows only a few media types, and refuses a document that names others. */
  private static final Map<String, String> STAND_INS =
      Map.of("application/problem+json", "application/json", "application/yaml", "text/plain");

  private final Buffer document;
  private final OpenAPIContract openApi;
  private final Map<String, Set<String>> methods;
  private final Set<String> openPaths;

  private Contract(Buffer document, OpenAPIContract openApi) {
    this.document = document;
    this.openApi = openApi;
    this.methods =
        openApi.operations().stream()
            .collect(groupingBy(Operation::getOpenAPIPath))
            .entrySet()
            .stream()
            .collect(toMap(Map.Entry::getKey, path -> methods(path.getValue())));
    this.openPaths =
        openApi.operations().stream()
            .filter(operation -> operation.getSecurityRequirements().isEmpty())
            .map(Operation::getOpenAPIPath)
            .collect(Collectors.toUnmodifiableSet());
  }

  static Future<Contract> load(Vertx vertx) {
    return vertx
        .fileSystem()
        .readFile(RESOURCE)
        .compose(
            document ->
                vertx
                    .executeBlocking(() -> parse(document), false)
                    .compose(json -> OpenAPIContract.from(vertx, json))
                    .map(openApi -> new Contract(document, openApi)));
  }

  /** As it stands in the repository. */
  Buffer document() {
    return document;
  }

  OpenAPIContract openApi() {
    return openApi;
  }

  Set<String> operationIds() {
    return openApi.operations().stream()
        .map(Operation::getOperationId)
        .collect(Collectors.toUnmodifiableSet());
  }

  /** Whether a request needs no token. Judged by the path as sent: nothing is normalised here. */
  boolean isOpen(HttpMethod method, String path) {
    return path != null && openPaths.contains(path) && methods.get(path).contains(method.name());
  }

  /** For the {@code Allow} header; empty for a path that does not exist. */
  String allowed(String path) {
    return String.join(", ", methods.getOrDefault(path, Set.of()));
  }

  /** The scopes that an operation needs of a token that has not all of them. */
  static List<String> scopes(Operation operation) {
    return operation.getSecurityRequirements().stream()
        .flatMap(requirement -> requirement.getNames().stream().map(requirement::getScopes))
        .flatMap(List::stream)
        .toList();
  }

  /** What a media type is called in {@link #openApi}. */
  static String standIn(String mediaType) {
    return STAND_INS.getOrDefault(mediaType, mediaType);
  }

  private static Set<String> methods(List<Operation> operations) {
    Set<String> names = new TreeSet<>();
    for (Operation operation : operations) {
      names.add(operation.getHttpMethod().name());
      if (operation.getHttpMethod().equals(HttpMethod.GET)) {
        names.add(HttpMethod.HEAD.name());
      }
    }
    return names;
  }

  private static JsonObject parse(Buffer document) {
    Map<?, ?> tree =
        new Yaml(new SafeConstructor(new LoaderOptions()))
            .load(document.toString(StandardCharsets.UTF_8));
    return new JsonObject(known(tree));
  }

  private static Map<String, Object> known(Map<?, ?> members) {
    Map<String, Object> copy = new LinkedHashMap<>();
    members.forEach((name, value) -> copy.put(standIn((String) name), knownNode(value)));
    return copy;
  }

  private static Object knownNode(Object node) {
    if (node instanceof Map<?, ?> members) {
      return known(members);
    }
    if (node instanceof List<?> items) {
      // Not immutable: resolving references writes into the tree.
      return items.stream().map(Contract::knownNode).collect(toCollection(ArrayList::new));
    }
    return node;
  }
}
