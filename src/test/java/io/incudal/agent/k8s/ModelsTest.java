package io.incudal.agent.k8s;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.yaml.snakeyaml.error.YAMLException;

/** That the check of the manifests can fail, at every depth. */
class ModelsTest {
  private static final String RIGHT =
      """
      apiVersion: apps/v1
      kind: DaemonSet
      metadata:
        name: storage
      spec:
        selector:
          matchLabels: {app: storage}
        template:
          metadata:
            labels: {app: storage}
          spec:
            hostNetwork: true
            containers:
              - name: agent
                image: incudal-agent:v1
                env:
                  - name: IPXE_AGENT_PORT
                    value: "4840"
                ports:
                  - containerPort: 4840
                livenessProbe:
                  httpGet: {path: /healthz, port: 4840}
                resources:
                  limits: {memory: 512Mi}
                securityContext:
                  readOnlyRootFilesystem: true
                  capabilities:
                    drop: [ALL]
            volumes:
              - name: images
                hostPath: {path: /images, type: Directory}
      ---
      apiVersion: networking.k8s.io/v1
      kind: NetworkPolicy
      metadata:
        name: storage
      spec:
        podSelector: {}
        ingress:
          - from:
              - ipBlock: {cidr: 10.0.0.0/8}
            ports:
              - port: agent
      ---
      apiVersion: monitoring.coreos.com/v1
      kind: ServiceMonitor
      metadata:
        name: storage
      spec:
        selector: {}
        endpoints:
          - port: agent
            authorization:
              credentials: {name: storage, key: token}
      """;

  @Test
  void readsWhatIsRight() {
    assertEquals(3, Models.read(RIGHT).size());
  }

  @ParameterizedTest(name = "{1}")
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          kind: DaemonSet                | knd: DaemonSet
          metadata:\\n  name: storage     | metadata:\\n  nam: storage
          spec:\\n  selector              | specification:\\n  selector
          selector:\\n    matchLabels     | selector:\\n    matchLabel
          template:                      | templates:
          hostNetwork                    | hostNetworking
          image:                         | imag:
          value: "4840"                  | vale: "4840"
          value: "4840"                  | value: 4840
          value: "4840"                  | value: true
          containerPort: 4840            | containerPort: "4840"
          containerPort: 4840            | containerPorts: 4840
          httpGet: {path                 | httpGet: {paths
          limits:                        | limit:
          readOnlyRootFilesystem         | readonlyRootFilesystem
          readOnlyRootFilesystem: true   | readOnlyRootFilesystem: "true"
          drop:                          | drops:
          hostPath: {path                | hostPath: {directory
          podSelector                    | podSelectors
          cidr:                          | cidrs:
          port: agent\\n---               | ports: agent\\n---
          endpoints:                     | endpoint:
          credentials: {name             | credentials: {names
          credentials:                   | credential:
          kind: ServiceMonitor           | kind: ServiceMonitors
          """)
  void refusesWhatIsWrong(String right, String wrong) {
    String changed = RIGHT.replace(lines(right), lines(wrong));
    assertTrue(!changed.equals(RIGHT), "nothing was changed");
    assertThrows(IllegalArgumentException.class, () -> Models.read(changed));
  }

  @Test
  void refusesAKeyThatComesTwice() {
    String twice = RIGHT.replace("hostNetwork: true", "hostNetwork: true\n      hostNetwork: true");
    assertThrows(YAMLException.class, () -> Models.read(twice));
  }

  private static String lines(String text) {
    return text.replace("\\n", "\n");
  }
}
