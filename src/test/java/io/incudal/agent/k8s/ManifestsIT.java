package io.incudal.agent.k8s;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.ContainerPort;
import io.fabric8.kubernetes.api.model.EnvVar;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.Namespace;
import io.fabric8.kubernetes.api.model.Secret;
import io.fabric8.kubernetes.api.model.Service;
import io.fabric8.kubernetes.api.model.ServiceAccount;
import io.fabric8.kubernetes.api.model.Volume;
import io.fabric8.kubernetes.api.model.VolumeMount;
import io.fabric8.kubernetes.api.model.networking.v1.NetworkPolicy;
import io.fabric8.kubernetes.api.model.policy.v1.PodDisruptionBudget;
import io.fabric8.openshift.api.model.monitoring.v1.ServiceMonitor;
import io.incudal.agent.config.TokenText;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Each overlay as it would be applied: that what belongs together fits together. */
@Tag("k8s")
class ManifestsIT {
  private static final Set<String> BASE =
      Set.of(
          "Namespace",
          "ServiceAccount",
          "ConfigMap",
          "DaemonSet",
          "Service",
          "PodDisruptionBudget");

  static Stream<Rendering> renderings() {
    return Rendering.all();
  }

  @Test
  void rendersEverythingThatThereIs() {
    assertEquals(with("NetworkPolicy"), kinds(Rendering.of("stgt")));
    assertEquals(BASE, kinds(Rendering.of("lio")));
    assertEquals(
        with("NetworkPolicy", "ServiceMonitor", "PrometheusRule"),
        kinds(Rendering.of("stgt", List.of("monitoring"))));
    assertEquals(BASE, kinds(Rendering.of("stgt", List.of("host-network"))));
  }

  @ParameterizedTest
  @MethodSource("renderings")
  void putsAllOfItIntoOneNamespace(Rendering rendering) {
    String namespace = rendering.one(Namespace.class).getMetadata().getName();
    rendering.objects().stream()
        .filter(object -> !(object instanceof Namespace))
        .forEach(
            object ->
                assertEquals(namespace, object.getMetadata().getNamespace(), object.getKind()));
    assertEquals(namespace, example().getMetadata().getNamespace());
  }

  @ParameterizedTest
  @MethodSource("renderings")
  void selectsItsPods(Rendering rendering) {
    var spec = rendering.daemonSet().getSpec();
    Map<String, String> labels = spec.getTemplate().getMetadata().getLabels();
    selects(spec.getSelector().getMatchLabels(), labels);
    selects(rendering.one(Service.class).getSpec().getSelector(), labels);
    selects(
        rendering.one(PodDisruptionBudget.class).getSpec().getSelector().getMatchLabels(), labels);
    rendering
        .each(NetworkPolicy.class)
        .forEach(policy -> selects(policy.getSpec().getPodSelector().getMatchLabels(), labels));
    rendering
        .each(ServiceMonitor.class)
        .forEach(
            monitor ->
                selects(
                    monitor.getSpec().getSelector().getMatchLabels(),
                    rendering.one(Service.class).getMetadata().getLabels()));
  }

  @ParameterizedTest
  @MethodSource("renderings")
  void namesOnlyWhatThereIs(Rendering rendering) {
    var pod = rendering.pod();
    String account = rendering.one(ServiceAccount.class).getMetadata().getName();
    assertEquals(account, pod.getServiceAccountName());
    Container agent = rendering.container("agent");
    assertEquals(
        List.of(rendering.one(ConfigMap.class).getMetadata().getName()),
        agent.getEnvFrom().stream().map(from -> from.getConfigMapRef().getName()).toList());
    Set<String> volumes =
        pod.getVolumes().stream().map(Volume::getName).collect(Collectors.toSet());
    Set<String> mounted =
        pod.getContainers().stream()
            .flatMap(container -> container.getVolumeMounts().stream().map(VolumeMount::getName))
            .collect(Collectors.toSet());
    assertEquals(volumes, mounted);
    rendering
        .each(ServiceMonitor.class)
        .flatMap(monitor -> monitor.getSpec().getEndpoints().stream())
        .forEach(
            endpoint -> {
              var token = endpoint.getAuthorization().getCredentials();
              assertEquals(example().getMetadata().getName(), token.getName());
              assertTrue(example().getStringData().containsKey(token.getKey()), token.getKey());
            });
  }

  /** The agent's own loader judges them; what it does not know, it warns of. */
  @ParameterizedTest
  @MethodSource("renderings")
  void givesTheAgentSettingsThatItTakes(Rendering rendering) throws IOException {
    var settings = AgentSettings.of(rendering);
    assertEquals(List.of(), settings.loaded().warnings());
    var node = settings.node();
    assertEquals(rendering.backend(), node.backend().kind().name().toLowerCase());
    assertEquals("LOCAL", node.backend().executor().name());
    assertTrue(
        node.stopTimeout().toSeconds() < rendering.pod().getTerminationGracePeriodSeconds(),
        "the pod is killed before the agent ends by itself");
    Container agent = rendering.container("agent");
    Container target = rendering.container("target");
    String images = node.images().directory().toString();
    assertEquals(images, mount(agent, "images").getMountPath());
    assertEquals(images, mount(target, "images").getMountPath());
    assertTrue(node.auditFile().startsWith(mount(agent, "audit").getMountPath()));
    assertEquals(
        mount(agent, "secret").getMountPath()
            + "/"
            + example().getStringData().keySet().iterator().next(),
        rendering.config().getData().get("IPXE_AGENT_TOKEN_FILE"));
    assertEquals(List.of(node.http().port()), numbers(agent));
  }

  /**
   * What is in the Secret of a certificate, its settings name; and Prometheus speaks as they say.
   */
  @ParameterizedTest
  @MethodSource("renderings")
  void findsCertificatesWhereTheyAreMounted(Rendering rendering) {
    Map<String, String> settings = new TreeMap<>(rendering.config().getData());
    settings.keySet().removeIf(name -> !name.startsWith("IPXE_TLS_"));
    for (String file : settings.values()) {
      String directory = mount(rendering.container("agent"), "tls").getMountPath() + "/";
      assertTrue(Set.of("tls.crt", "tls.key", "ca.crt").contains(file.replace(directory, "")));
    }
    rendering
        .each(ServiceMonitor.class)
        .flatMap(monitor -> monitor.getSpec().getEndpoints().stream())
        .forEach(
            endpoint -> {
              assertEquals(settings.isEmpty() ? null : "https", endpoint.getScheme());
              assertEquals(
                  settings.containsKey("IPXE_TLS_CLIENT_CA"),
                  endpoint.getTlsConfig() != null && endpoint.getTlsConfig().getCert() != null);
            });
  }

  @ParameterizedTest
  @MethodSource("renderings")
  void opensToOthersWhatItListensOn(Rendering rendering) {
    Set<Integer> ports = new TreeSet<>();
    for (Container container : rendering.pod().getContainers()) {
      for (ContainerPort port : container.getPorts()) {
        assertEquals(port.getContainerPort(), port.getHostPort(), "as it is known outside");
        assertTrue(ports.add(port.getContainerPort()), "two listen on one port");
      }
    }
    Set<String> names = new TreeSet<>();
    rendering.container("agent").getPorts().forEach(port -> names.add(port.getName()));
    rendering
        .one(Service.class)
        .getSpec()
        .getPorts()
        .forEach(port -> assertTrue(names.contains(port.getTargetPort().getStrVal())));
    rendering
        .each(ServiceMonitor.class)
        .flatMap(monitor -> monitor.getSpec().getEndpoints().stream())
        .forEach(endpoint -> assertTrue(names.contains(endpoint.getPort())));
    boolean onHost = Boolean.TRUE.equals(rendering.pod().getHostNetwork());
    // It would pretend to guard what it cannot.
    assertEquals(onHost ? 0 : 1, rendering.each(NetworkPolicy.class).count());
    rendering.each(NetworkPolicy.class).forEach(policy -> assertEquals(ports, opened(policy)));
  }

  @Test
  void letsOnlyTheControlPlaneAndPrometheusComeToTheAgent() {
    var rules = Rendering.of("stgt").one(NetworkPolicy.class).getSpec().getIngress();
    var agent =
        rules.stream()
            .filter(rule -> rule.getPorts().get(0).getPort().getIntVal() == 4840)
            .toList();
    assertEquals(1, agent.size());
    assertEquals(
        List.of(
            Map.of("incudal.io/control-plane", "true"),
            Map.of("kubernetes.io/metadata.name", "monitoring")),
        agent.get(0).getFrom().stream()
            .map(from -> from.getNamespaceSelector().getMatchLabels())
            .toList());
  }

  @ParameterizedTest
  @MethodSource("renderings")
  void holdsNoSecret(Rendering rendering) {
    assertEquals(0, rendering.each(Secret.class).count());
    rendering.pod().getContainers().stream()
        .flatMap(container -> container.getEnv().stream())
        .map(EnvVar::getName)
        .forEach(name -> assertFalse(name.matches(".*(TOKEN|SECRET|KEY)$"), name));
    String example = example().getStringData().get("token");
    assertThrows(IllegalArgumentException.class, () -> TokenText.parse(example));
  }

  private static Secret example() {
    try {
      return (Secret) Models.read(Files.readString(Path.of("k8s/secret.example.yaml"))).get(0);
    } catch (IOException failure) {
      throw new AssertionError(failure);
    }
  }

  private static void selects(Map<String, String> selector, Map<String, String> labels) {
    assertFalse(selector.isEmpty());
    assertTrue(labels.entrySet().containsAll(selector.entrySet()), selector + " of " + labels);
  }

  private static VolumeMount mount(Container container, String volume) {
    return container.getVolumeMounts().stream()
        .filter(mount -> mount.getName().equals(volume))
        .findFirst()
        .orElseThrow(() -> new AssertionError(container.getName() + " has no " + volume));
  }

  private static List<Integer> numbers(Container container) {
    return container.getPorts().stream().map(ContainerPort::getContainerPort).toList();
  }

  private static Set<Integer> opened(NetworkPolicy policy) {
    return policy.getSpec().getIngress().stream()
        .flatMap(rule -> rule.getPorts().stream())
        .map(port -> port.getPort().getIntVal())
        .collect(Collectors.toCollection(TreeSet::new));
  }

  private static Set<String> with(String... more) {
    return Stream.concat(BASE.stream(), Stream.of(more)).collect(Collectors.toSet());
  }

  private static Set<String> kinds(Rendering rendering) {
    return rendering.objects().stream().map(HasMetadata::getKind).collect(Collectors.toSet());
  }
}
