package io.incudal.agent.k8s;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import io.fabric8.openshift.api.model.monitoring.v1.PrometheusRule;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** The alerts stand in two files: Prometheus reads the one, its operator the other. */
class AlertsTest {
  @Test
  void areTheSameForPrometheusAndItsOperator() throws IOException {
    PrometheusRule operators =
        rule(Files.readString(Path.of("k8s/components/monitoring/prometheus-rule.yaml")));
    Map<?, ?> file = Models.parser().load(Files.readString(Path.of("k8s/monitoring/rules.yaml")));
    Map<?, ?> wanted =
        Map.of("apiVersion", operators.getApiVersion(), "kind", "PrometheusRule", "spec", file);
    assertFalse(operators.getSpec().getGroups().isEmpty());
    assertEquals(rule(Models.parser().dump(wanted)).getSpec(), operators.getSpec());
  }

  private static PrometheusRule rule(String yaml) {
    return (PrometheusRule) Models.read(yaml).get(0);
  }
}
