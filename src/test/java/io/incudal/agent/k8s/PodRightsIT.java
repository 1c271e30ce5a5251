package io.incudal.agent.k8s;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.ContainerPort;
import io.fabric8.kubernetes.api.model.Probe;
import io.fabric8.kubernetes.api.model.Quantity;
import io.fabric8.kubernetes.api.model.Volume;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** What the pod may do, what it gets, and when it is taken for well. */
@Tag("k8s")
class PodRightsIT {
  /** Whatever is not here, no container of the pod may do. */
  private static final Map<String, Set<String>> CAPABILITIES =
      Map.of(
          "stgt agent", Set.of(),
          "stgt target", Set.of(),
          "lio agent", Set.of("SYS_ADMIN"),
          "lio target", Set.of("SYS_ADMIN", "SETGID", "SETUID"));

  static Stream<Rendering> renderings() {
    return Rendering.all();
  }

  @ParameterizedTest
  @MethodSource("renderings")
  void mayDoNoMoreThanItHasTo(Rendering rendering) {
    assertEquals(false, rendering.pod().getAutomountServiceAccountToken());
    assertEquals(false, rendering.pod().getEnableServiceLinks());
    assertNull(rendering.pod().getHostPID());
    assertNull(rendering.pod().getHostIPC());
    for (Container container : rendering.pod().getContainers()) {
      String name = rendering.backend() + " " + container.getName();
      var rights = container.getSecurityContext();
      Set<String> allowed = CAPABILITIES.get(name);
      assertEquals(true, rights.getReadOnlyRootFilesystem(), name);
      assertEquals(List.of("ALL"), rights.getCapabilities().getDrop(), name);
      assertEquals(allowed, Set.copyOf(rights.getCapabilities().getAdd()), name);
      assertEquals(allowed.contains("SYS_ADMIN"), rights.getAllowPrivilegeEscalation(), name);
      assertEquals("RuntimeDefault", rights.getSeccompProfile().getType(), name);
      assertEquals(rendering.backend().equals("stgt"), rights.getAppArmorProfile() == null, name);
      assertNull(rights.getPrivileged(), name);
    }
  }

  @ParameterizedTest
  @MethodSource("renderings")
  void getsResources(Rendering rendering) {
    for (Container container : rendering.pod().getContainers()) {
      var resources = container.getResources();
      Map<String, Quantity> requests = resources.getRequests();
      assertEquals(Set.of("cpu", "memory"), requests.keySet(), container.getName());
      Stream.of(
              requests,
              Objects.requireNonNullElse(resources.getLimits(), Map.<String, Quantity>of()))
          .flatMap(all -> all.values().stream())
          .forEach(quantity -> assertTrue(quantity.getNumericalAmount().signum() > 0));
    }
    // What tgtd caches counts as its memory; a limit would take the cache from every disk.
    assertEquals(
        rendering.backend().equals("lio"),
        !rendering.container("target").getResources().getLimits().isEmpty());
    Quantity limit = rendering.container("agent").getResources().getLimits().get("memory");
    assertTrue(
        limit.getNumericalAmount().longValueExact() >= 256L << 20, "heap, and copies' cache");
  }

  /** A file stays the old one after a rename; a directory never does. */
  @ParameterizedTest
  @MethodSource("renderings")
  void mountsDirectoriesOfTheHost(Rendering rendering) {
    Set<String> types =
        rendering.pod().getVolumes().stream()
            .map(Volume::getHostPath)
            .filter(Objects::nonNull)
            .map(path -> path.getType())
            .collect(Collectors.toSet());
    assertEquals(Set.of("Directory", "DirectoryOrCreate"), types);
    for (Container container : rendering.pod().getContainers()) {
      container.getVolumeMounts().forEach(mount -> assertNull(mount.getSubPath(), mount.getName()));
    }
  }

  @ParameterizedTest
  @MethodSource("renderings")
  void asksTheAgentHowItIs(Rendering rendering) throws IOException {
    Container agent = rendering.container("agent");
    String contract = Files.readString(Path.of("src/main/resources/openapi.yaml"));
    Set<String> ports =
        agent.getPorts().stream().map(ContainerPort::getName).collect(Collectors.toSet());
    boolean tls = rendering.config().getData().containsKey("IPXE_TLS_CERT");
    for (Probe probe :
        List.of(agent.getStartupProbe(), agent.getLivenessProbe(), agent.getReadinessProbe())) {
      assertTrue(ports.contains(probe.getHttpGet().getPort().getStrVal()));
      assertTrue(contract.contains("\n  " + probe.getHttpGet().getPath() + ":\n"));
      assertEquals(tls ? "HTTPS" : null, probe.getHttpGet().getScheme());
      assertNull(probe.getHttpGet().getHost(), "the kubelet knows the pod's address");
    }
    assertEquals("/healthz", agent.getLivenessProbe().getHttpGet().getPath());
    assertEquals("/readyz", agent.getReadinessProbe().getHttpGet().getPath());
  }

  @Test
  void restartsOfTgtdAreAnOperatorsChoice() {
    assertEquals(
        "OnDelete", Rendering.of("stgt").daemonSet().getSpec().getUpdateStrategy().getType());
    assertEquals(
        1,
        Rendering.of("lio")
            .daemonSet()
            .getSpec()
            .getUpdateStrategy()
            .getRollingUpdate()
            .getMaxUnavailable()
            .getIntVal());
  }

  /** The hook knows the port as the kernel prints it. */
  @Test
  void tgtdWaitsForThePortOfTheAgent() {
    Rendering stgt = Rendering.of("stgt");
    int port = stgt.container("agent").getPorts().get(0).getContainerPort();
    var hook = stgt.container("target").getLifecycle().getPreStop().getExec().getCommand();
    assertTrue(hook.get(2).contains(String.format(":%04X ", port)), hook.toString());
  }

  @ParameterizedTest
  @MethodSource("renderings")
  void runsAReleasesImages(Rendering rendering) throws IOException {
    String version = Files.readString(Path.of("VERSION")).strip();
    String backend = rendering.backend();
    assertEquals(
        "incudal-agent:" + version + "-" + backend, rendering.container("agent").getImage());
    assertEquals("incudal-" + backend + ":" + version, rendering.container("target").getImage());
  }
}
