package io.incudal.agent.api;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.incudal.agent.api.ApiRoutes.Endpoint;
import io.incudal.agent.auth.Access;
import io.incudal.agent.bus.ErrorCode;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import io.vertx.ext.web.Router;
import io.vertx.json.schema.JsonSchema;
import io.vertx.junit5.VertxExtension;
import io.vertx.openapi.contract.MediaType;
import io.vertx.openapi.contract.Operation;
import io.vertx.openapi.contract.Response;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

@ExtendWith(VertxExtension.class)
class ContractTest {
  private static Contract contract;

  @BeforeAll
  static void load(Vertx vertx) {
    contract = Contract.load(vertx).await();
  }

  @Test
  void refusesToStartWithoutAnEndpointForEveryOperation(Vertx vertx) {
    Map<String, Endpoint> endpoints = endpoints();
    endpoints.remove("scan");
    var failure = assertThrows(IllegalStateException.class, () -> build(vertx, endpoints));
    assertTrue(failure.getMessage().contains("the contract has"), failure.getMessage());
  }

  @Test
  void refusesToStartWithAnEndpointThatIsNoOperation(Vertx vertx) {
    Map<String, Endpoint> endpoints = endpoints();
    endpoints.put("undocumented", ctx -> Future.succeededFuture());
    assertThrows(IllegalStateException.class, () -> build(vertx, endpoints));
  }

  @Test
  void bindsEveryOperationOfTheContract(Vertx vertx) {
    // One route an operation, one for HEAD of every GET, the gate, and the failure handler.
    long gets = operations().filter(o -> o.getHttpMethod().equals(HttpMethod.GET)).count();
    assertEquals(
        contract.operationIds().size() + gets + 2, build(vertx, endpoints()).getRoutes().size());
  }

  @Test
  void listsExactlyTheCodesThatTheAgentKnows() {
    JsonObject problem = schema("Problem");
    Set<String> listed =
        problem.getJsonObject("properties").getJsonObject("code").getJsonArray("enum").stream()
            .map(String.class::cast)
            .collect(Collectors.toCollection(TreeSet::new));
    Set<String> known =
        Arrays.stream(ErrorCode.values())
            .map(ErrorCode::word)
            .collect(Collectors.toCollection(TreeSet::new));
    assertEquals(known, listed);
  }

  @Test
  void listsEveryCodeUnderTheStatusThatItHas() {
    operations()
        .forEach(
            operation ->
                responses(operation)
                    .forEach(
                        (status, response) ->
                            codes(response)
                                .forEach(
                                    code ->
                                        assertEquals(
                                            status,
                                            ErrorCode.valueOf(code.toUpperCase()).status(),
                                            operation.getOperationId() + " " + code))));
  }

  @Test
  void needsATokenForAllButTheProbes() {
    Set<String> open =
        operations()
            .filter(operation -> operation.getSecurityRequirements().isEmpty())
            .map(Operation::getOperationId)
            .collect(Collectors.toSet());
    assertEquals(Set.of("healthz", "readyz"), open);
    operations()
        .filter(operation -> !open.contains(operation.getOperationId()))
        .forEach(operation -> assertEquals(List.of("unauthorized"), codes(operation, 401)));
  }

  @Test
  void opensThePathsOfTheProbesOnlyAsTheyAreSpelt() {
    assertTrue(contract.isOpen(HttpMethod.GET, "/readyz"));
    assertTrue(contract.isOpen(HttpMethod.HEAD, "/healthz"));
    assertFalse(contract.isOpen(HttpMethod.POST, "/readyz"));
    assertFalse(contract.isOpen(HttpMethod.GET, "/readyz/"));
    assertFalse(contract.isOpen(HttpMethod.GET, "//readyz"));
    assertFalse(contract.isOpen(HttpMethod.GET, "/READYZ"));
    assertFalse(contract.isOpen(HttpMethod.GET, null));
  }

  @Test
  void saysWhichScopesAnOperationNeeds() {
    Map<String, List<String>> scopes =
        operations().collect(Collectors.toMap(Operation::getOperationId, Contract::scopes));
    assertEquals(List.of("lun:write"), scopes.get("createDisk"));
    assertEquals(List.of("lun:write"), scopes.get("deleteTarget"));
    assertEquals(List.of("lun:read"), scopes.get("listTargets"));
    assertEquals(List.of("lun:read"), scopes.get("capabilities"));
    assertEquals(List.of("logs:read"), scopes.get("logs"));
    assertEquals(List.of("metrics:read"), scopes.get("metrics"));
    assertEquals(List.of(), scopes.get("openapi"));
  }

  @Test
  void describesEveryOperationAndEveryAnswerInWords() {
    operations()
        .forEach(
            operation -> {
              JsonObject model = operation.getOpenAPIModel();
              assertFalse(model.getString("summary", "").isBlank(), operation.getOperationId());
              responses(operation)
                  .forEach(
                      (status, response) ->
                          assertTrue(
                              response.getHeaders().stream()
                                  .anyMatch(header -> header.getName().equals("X-Request-Id")),
                              operation.getOperationId() + " " + status));
            });
  }

  @Test
  void holdsOnlyExamplesThatConformToTheirSchemas() {
    int checked = 0;
    for (Operation operation : contract.openApi().operations()) {
      Stream<MediaType> media =
          responses(operation).values().stream().flatMap(r -> r.getContent().values().stream());
      if (operation.getRequestBody() != null) {
        media = Stream.concat(media, operation.getRequestBody().getContent().values().stream());
      }
      for (MediaType type : media.toList()) {
        for (Object example : examples(type.getOpenAPIModel())) {
          checked++;
          assertConforms(type.getSchema(), example, operation.getOperationId());
        }
      }
    }
    assertTrue(checked > 25, "examples: " + checked);
  }

  private static void assertConforms(JsonSchema schema, Object example, String where) {
    var outcome =
        contract.openApi().getSchemaRepository().validator(schema).validate(plain(example));
    assertTrue(outcome.getValid(), () -> where + " " + example + " " + outcome.getErrors());
  }

  /** Without the marks that resolving the document left in it. */
  private static Object plain(Object node) {
    if (node instanceof JsonObject object) {
      var copy = new JsonObject();
      object.stream()
          .filter(member -> !member.getKey().startsWith("__"))
          .forEach(member -> copy.put(member.getKey(), plain(member.getValue())));
      return copy;
    }
    return node instanceof JsonArray array
        ? new JsonArray(array.stream().map(ContractTest::plain).toList())
        : node;
  }

  private static List<Object> examples(JsonObject media) {
    if (media.containsKey("example")) {
      return List.of(media.getValue("example"));
    }
    return media.getJsonObject("examples", new JsonObject()).stream()
        .map(Map.Entry::getValue)
        .filter(JsonObject.class::isInstance)
        .map(example -> ((JsonObject) example).getValue("value"))
        .toList();
  }

  private static Stream<Operation> operations() {
    return contract.openApi().operations().stream();
  }

  private static Map<Integer, Response> responses(Operation operation) {
    Map<Integer, Response> responses = new HashMap<>();
    for (ErrorCode code : ErrorCode.values()) {
      responses.put(code.status(), operation.getResponse(code.status()));
    }
    responses.put(200, operation.getResponse(200));
    responses.values().removeIf(response -> response == null);
    return responses;
  }

  private static List<String> codes(Operation operation, int status) {
    return codes(operation.getResponse(status));
  }

  private static List<String> codes(Response response) {
    return response.getContent().values().stream()
        .map(type -> type.getOpenAPIModel().getJsonObject("schema").getJsonArray("allOf"))
        .filter(parts -> parts != null)
        .flatMap(JsonArray::stream)
        .map(part -> ((JsonObject) part).getJsonObject("properties", new JsonObject()))
        .map(properties -> properties.getJsonObject("code", new JsonObject()))
        .filter(code -> !code.containsKey("description"))
        .flatMap(code -> code.getJsonArray("enum", new JsonArray()).stream())
        .map(String.class::cast)
        .toList();
  }

  private static JsonObject schema(String name) {
    return contract
        .openApi()
        .getRawContract()
        .getJsonObject("components")
        .getJsonObject("schemas")
        .getJsonObject(name);
  }

  private static Router build(Vertx vertx, Map<String, Endpoint> endpoints) {
    var connections = new Connections(vertx, HttpLimits.DEFAULTS, System::nanoTime);
    var gate =
        new Gate(
            contract,
            new Gate.Rules(token -> Future.succeededFuture(Access.FULL), false, 1),
            RequestListener.NONE);
    return new ApiRoutes(vertx, contract, gate, new Replies(vertx, connections)).build(endpoints);
  }

  private static Map<String, Endpoint> endpoints() {
    Map<String, Endpoint> endpoints = new HashMap<>();
    contract.operationIds().forEach(id -> endpoints.put(id, ctx -> Future.succeededFuture()));
    return endpoints;
  }
}
