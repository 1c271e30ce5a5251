package io.incudal.agent.k8s;

import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.PodSpec;
import io.fabric8.kubernetes.api.model.apps.DaemonSet;
import io.incudal.agent.lab.Cli;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** What {@code kubectl kustomize} makes of an overlay and components, read strictly. */
record Rendering(String backend, List<HasMetadata> objects) {
  private static final Path MANIFESTS = Path.of("k8s");

  private static final List<Rendering> ALL =
      List.of(
          of("stgt"),
          of("stgt", List.of("host-network", "monitoring", "tls")),
          of("stgt", List.of("monitoring", "client-certificates")),
          of("lio"),
          of("lio", List.of("monitoring", "client-certificates")));

  /** Each overlay, alone and with every component. */
  static Stream<Rendering> all() {
    return ALL.stream();
  }

  static Rendering of(String overlay) {
    return new Rendering(overlay, Models.read(render(MANIFESTS.resolve("overlays/" + overlay))));
  }

  /** As an operator adds components: by a kustomization of their own. */
  static Rendering of(String overlay, List<String> components) {
    try {
      Path own = Path.of("target/k8s", overlay + "-" + String.join("-", components));
      Files.createDirectories(own);
      String up = own.toAbsolutePath().relativize(MANIFESTS.toAbsolutePath()) + "/";
      String added =
          components.stream()
              .map(component -> "  - " + up + "components/" + component + "\n")
              .collect(Collectors.joining());
      Files.writeString(
          own.resolve("kustomization.yaml"),
          "resources:\n  - " + up + "overlays/" + overlay + "\ncomponents:\n" + added);
      return new Rendering(overlay, Models.read(render(own)));
    } catch (IOException failure) {
      throw new UncheckedIOException(failure);
    }
  }

  private static String render(Path directory) {
    String kubectl = Optional.ofNullable(System.getenv("KUBECTL")).orElse("kubectl");
    try {
      return Cli.run(kubectl, "kustomize", directory.toString()).orFail();
    } catch (UncheckedIOException missing) {
      throw new IllegalStateException(
          "kubectl is needed: run this by scripts/test, which fetches one, or name one by KUBECTL",
          missing);
    }
  }

  <T extends HasMetadata> Stream<T> each(Class<T> type) {
    return objects.stream().filter(type::isInstance).map(type::cast);
  }

  /** The one object of a kind. */
  <T extends HasMetadata> T one(Class<T> type) {
    List<T> found = each(type).toList();
    if (found.size() != 1) {
      throw new AssertionError(found.size() + " objects of " + type.getSimpleName());
    }
    return found.get(0);
  }

  DaemonSet daemonSet() {
    return one(DaemonSet.class);
  }

  PodSpec pod() {
    return daemonSet().getSpec().getTemplate().getSpec();
  }

  ConfigMap config() {
    return one(ConfigMap.class);
  }

  /** One of {@code agent} and {@code target}. */
  Container container(String name) {
    return pod().getContainers().stream()
        .filter(container -> container.getName().equals(name))
        .findFirst()
        .orElseThrow(() -> new AssertionError("no container " + name));
  }

  /** As tests name it. */
  @Override
  public String toString() {
    return backend + " " + objects.stream().map(HasMetadata::getKind).toList();
  }
}
