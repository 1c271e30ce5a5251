package io.incudal.agent.k8s;

import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.MapperFeature;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.cfg.CoercionAction;
import com.fasterxml.jackson.databind.cfg.CoercionInputShape;
import com.fasterxml.jackson.databind.introspect.Annotated;
import com.fasterxml.jackson.databind.introspect.JacksonAnnotationIntrospector;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.type.LogicalType;
import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.Namespace;
import io.fabric8.kubernetes.api.model.Secret;
import io.fabric8.kubernetes.api.model.Service;
import io.fabric8.kubernetes.api.model.ServiceAccount;
import io.fabric8.kubernetes.api.model.apps.DaemonSet;
import io.fabric8.kubernetes.api.model.networking.v1.NetworkPolicy;
import io.fabric8.kubernetes.api.model.policy.v1.PodDisruptionBudget;
import io.fabric8.openshift.api.model.monitoring.v1.PrometheusRule;
import io.fabric8.openshift.api.model.monitoring.v1.ServiceMonitor;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.yaml.snakeyaml.LoaderOptions;
import org.yaml.snakeyaml.Yaml;
import org.yaml.snakeyaml.constructor.SafeConstructor;

/**
 * Reads manifests as strictly as an API server that validates: a field that the model does not
 * have, a value of another type or a key that comes twice is an error.
 */
final class Models {
  private static final Map<String, Class<? extends HasMetadata>> KINDS =
      Map.ofEntries(
          Map.entry("v1 Namespace", Namespace.class),
          Map.entry("v1 ServiceAccount", ServiceAccount.class),
          Map.entry("v1 ConfigMap", ConfigMap.class),
          Map.entry("v1 Secret", Secret.class),
          Map.entry("v1 Service", Service.class),
          Map.entry("apps/v1 DaemonSet", DaemonSet.class),
          Map.entry("networking.k8s.io/v1 NetworkPolicy", NetworkPolicy.class),
          Map.entry("policy/v1 PodDisruptionBudget", PodDisruptionBudget.class),
          Map.entry("monitoring.coreos.com/v1 ServiceMonitor", ServiceMonitor.class),
          Map.entry("monitoring.coreos.com/v1 PrometheusRule", PrometheusRule.class));

  private static final ObjectMapper STRICT = strict();

  private Models() {}

  /** Every document of a text. */
  static List<HasMetadata> read(String yaml) {
    List<HasMetadata> all = new ArrayList<>();
    parser().loadAll(yaml).forEach(document -> all.add(model((Map<?, ?>) document)));
    return all;
  }

  static Yaml parser() {
    var options = new LoaderOptions();
    options.setAllowDuplicateKeys(false);
    return new Yaml(new SafeConstructor(options));
  }

  private static HasMetadata model(Map<?, ?> document) {
    String kind = document.get("apiVersion") + " " + document.get("kind");
    Class<? extends HasMetadata> type =
        Optional.ofNullable(KINDS.get(kind))
            .orElseThrow(() -> new IllegalArgumentException("no model of " + kind));
    return STRICT.convertValue(document, type);
  }

  private static ObjectMapper strict() {
    ObjectMapper mapper =
        JsonMapper.builder()
            .annotationIntrospector(new NoneBesides())
            .enable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
            .disable(MapperFeature.ALLOW_COERCION_OF_SCALARS)
            .build();
    for (var shape : List.of(CoercionInputShape.Integer, CoercionInputShape.Boolean)) {
      mapper.coercionConfigFor(LogicalType.Textual).setCoercion(shape, CoercionAction.Fail);
    }
    return mapper;
  }

  /** Without this the models take any field, in a map for what they do not know. */
  private static final class NoneBesides extends JacksonAnnotationIntrospector {
    private static final long serialVersionUID = 1L;

    @Override
    public Boolean hasAnySetter(Annotated member) {
      return false;
    }
  }
}
