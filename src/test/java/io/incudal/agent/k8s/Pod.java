package io.incudal.agent.k8s;

import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.EmptyDirVolumeSource;
import io.fabric8.kubernetes.api.model.Probe;
import io.fabric8.kubernetes.api.model.Quantity;
import io.fabric8.kubernetes.api.model.SecurityContext;
import io.fabric8.kubernetes.api.model.Volume;
import io.fabric8.kubernetes.api.model.VolumeMount;
import io.incudal.agent.lab.Cli;
import io.incudal.agent.lab.LabSettings;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;

/**
 * A pod of the manifests on the lab's Docker engine, as a kubelet would make it: containers in one
 * network namespace, with the volumes, rights, limits and settings that the manifests give them. On
 * a network of its own, so that ports are the real ones; {@link #inNetwork} gets there. Every
 * method blocks.
 */
final class Pod implements AutoCloseable {
  /**
   * The most that a process may raise its limit to, from 1024; as containerd does, if with less.
   */
  static final int OPEN_FILES = 8192;

  private static final String SANDBOX = "sandbox";

  /**
   * What a pod finds on its node.
   *
   * @param directories of the node, by the names of the volumes that they are mounted as
   * @param images by container
   * @param mounts further ones of every container, as {@code from:to}
   * @param commands in place of the images' own, by container
   */
  record Host(
      Map<String, Path> directories,
      Map<String, String> images,
      List<String> mounts,
      Map<String, List<String>> commands) {}

  private final LabSettings lab = LabSettings.ofEnvironment();
  private final String name = "incudal-pod-" + UUID.randomUUID().toString().substring(0, 8);
  private final Rendering rendering;
  private final Host host;
  private final Map<String, String> volumes = new HashMap<>();

  private Pod(Rendering rendering, Host host) {
    this.rendering = rendering;
    this.host = host;
  }

  static Pod start(Rendering rendering, Host host) {
    var pod = new Pod(rendering, host);
    try {
      pod.startAll();
      return pod;
    } catch (RuntimeException failure) {
      pod.close();
      throw failure;
    }
  }

  private void startAll() {
    for (Volume volume : rendering.pod().getVolumes()) {
      volumes.put(
          volume.getName(),
          volume.getEmptyDir() == null
              ? host.directories.get(volume.getName()).toString()
              : emptyDirectory(volume.getName(), volume.getEmptyDir()));
    }
    // It keeps network and volumes while the others are restarted.
    List<String> sandbox = begin(SANDBOX, onHost() ? "host" : "none");
    volumes.forEach((volume, source) -> sandbox.addAll(List.of("-v", source + ":/keep/" + volume)));
    sandbox.addAll(List.of("--entrypoint", "sleep", host.images.get("target"), "infinity"));
    docker(sandbox).orFail();
    for (Container container : rendering.pod().getContainers()) {
      docker(words(container)).orFail();
    }
  }

  private List<String> begin(String container, String network) {
    List<String> words = new ArrayList<>(List.of("run", "-d", "--name", member(container)));
    words.addAll(List.of("--network", network, "--no-healthcheck"));
    host.mounts.forEach(mount -> words.addAll(List.of("-v", mount)));
    return words;
  }

  private String emptyDirectory(String volume, EmptyDirVolumeSource directory) {
    String own = name + "-" + volume;
    String options = "mode=0777,size=" + Quantity.getAmountInBytes(directory.getSizeLimit());
    docker(
            List.of(
                "volume",
                "create",
                "-d",
                "local",
                "-o",
                "type=tmpfs",
                "-o",
                "device=tmpfs",
                "-o",
                "o=" + options,
                own))
        .orFail();
    return own;
  }

  private List<String> words(Container container) {
    String network = onHost() ? "host" : "container:" + member(SANDBOX);
    List<String> words = begin(container.getName(), network);
    words.addAll(List.of("--ulimit", "nofile=1024:" + OPEN_FILES));
    words.addAll(rights(container.getSecurityContext()));
    Quantity memory = container.getResources().getLimits().get("memory");
    if (memory != null) {
      words.addAll(List.of("--memory", Quantity.getAmountInBytes(memory).toPlainString()));
    }
    for (VolumeMount mount : container.getVolumeMounts()) {
      String mode = Boolean.TRUE.equals(mount.getReadOnly()) ? ":ro" : ":rw";
      mode += "HostToContainer".equals(mount.getMountPropagation()) ? ",rslave" : "";
      words.addAll(List.of("-v", volumes.get(mount.getName()) + ":" + mount.getMountPath() + mode));
    }
    if (!container.getEnvFrom().isEmpty()) {
      rendering.config().getData().forEach((key, value) -> words.addAll(setting(key, value)));
    }
    container.getEnv().stream()
        .filter(more -> more.getValue() != null)
        .forEach(more -> words.addAll(setting(more.getName(), more.getValue())));
    words.add(host.images.get(container.getName()));
    words.addAll(host.commands.getOrDefault(container.getName(), List.of()));
    return words;
  }

  private boolean onHost() {
    return Boolean.TRUE.equals(rendering.pod().getHostNetwork());
  }

  private static List<String> rights(SecurityContext context) {
    List<String> words = new ArrayList<>();
    words.addAll(List.of("--user", context.getRunAsUser() + ":" + context.getRunAsGroup()));
    if (context.getReadOnlyRootFilesystem()) {
      words.add("--read-only");
    }
    if (!context.getAllowPrivilegeEscalation()) {
      words.addAll(List.of("--security-opt", "no-new-privileges"));
    }
    context.getCapabilities().getDrop().forEach(one -> words.addAll(List.of("--cap-drop", one)));
    context.getCapabilities().getAdd().forEach(one -> words.addAll(List.of("--cap-add", one)));
    return words;
  }

  private static List<String> setting(String name, String value) {
    return List.of("-e", name + "=" + value);
  }

  /** Where the pod's ports are, for a program that is run {@link #inNetwork}. */
  static String address() {
    return LabSettings.ofEnvironment().valueOr("LAB_ADDRESS", "127.0.0.1");
  }

  /** Runs a program of this machine in the pod's network, or in one that leads there. */
  Cli.Output inNetwork(String... command) throws IOException {
    if (Files.exists(record("hold.process"))) { // the engine is in a machine of its own
      return entering(process("hold.process"), List.of("-n"), command);
    }
    String first = docker(List.of("inspect", "-f", "{{.State.Pid}}", member(SANDBOX))).orFail();
    return entering(engine(), List.of("-m", "-p", "nsenter", "-t", first, "-n"), command);
  }

  /** Runs a program of this machine where its mounts are those of the engine's host. */
  Cli.Output onHost(String... command) throws IOException {
    return entering(engine(), List.of("-m"), command);
  }

  private static Cli.Output entering(String process, List<String> namespaces, String... command) {
    List<String> words = new ArrayList<>(List.of("nsenter", "-t", process));
    words.addAll(namespaces);
    words.addAll(List.of(command));
    return Cli.run(words);
  }

  /** A process in the namespace in which the engine gives its process ids. */
  private String engine() throws IOException {
    if (!Files.exists(record("engine.process"))) {
      return "1";
    }
    String unshare = process("engine.process");
    return Files.readString(Path.of("/proc", unshare, "task", unshare, "children")).strip();
  }

  private String process(String name) throws IOException {
    return Files.readString(record(name)).split(" ")[0];
  }

  private Path record(String name) {
    return Path.of(lab.value("LAB_STATE"), name);
  }

  /** Runs a program of a container in it. */
  Cli.Output exec(String container, List<String> command) {
    List<String> words = new ArrayList<>(List.of("exec", member(container)));
    words.addAll(command);
    return docker(words);
  }

  /** Whether a probe takes a container for well. */
  boolean passes(String container, Probe probe) throws IOException {
    if (probe.getExec() != null) {
      return exec(container, probe.getExec().getCommand()).ok();
    }
    int port =
        rendering.container(container).getPorts().stream()
            .filter(one -> one.getName().equals(probe.getHttpGet().getPort().getStrVal()))
            .findFirst()
            .orElseThrow()
            .getContainerPort();
    String scheme = "HTTPS".equals(probe.getHttpGet().getScheme()) ? "https" : "http";
    String url = scheme + "://" + address() + ":" + port + probe.getHttpGet().getPath();
    return inNetwork("curl", "-kfsS", "-m", probe.getTimeoutSeconds().toString(), url).ok();
  }

  /** Kills a container, and starts it again, as a kubelet does. */
  void restart(String container) {
    docker(List.of("kill", member(container))).orFail();
    docker(List.of("start", member(container))).orFail();
  }

  /** Ends a container as a kubelet does, without its hook; returns its exit code. */
  int stop(String container) {
    long patience = rendering.pod().getTerminationGracePeriodSeconds();
    docker(List.of("stop", "-t", "" + patience, member(container))).orFail();
    return Integer.parseInt(
        docker(List.of("inspect", "-f", "{{.State.ExitCode}}", member(container))).orFail());
  }

  String log(String container) {
    return docker(List.of("logs", "--tail", "50", member(container))).text();
  }

  /** The name of a container on the engine. */
  String member(String container) {
    return name + "-" + container;
  }

  private Cli.Output docker(List<String> words) {
    List<String> command = new ArrayList<>(List.of("docker", "-H", lab.dockerHost()));
    command.addAll(words);
    return Cli.run(command);
  }

  @Override
  public void close() {
    rendering.pod().getContainers().forEach(one -> remove(one.getName()));
    remove(SANDBOX);
    rendering.pod().getVolumes().stream()
        .filter(volume -> volume.getEmptyDir() != null)
        .forEach(volume -> docker(List.of("volume", "rm", "-f", name + "-" + volume.getName())));
  }

  private void remove(String container) {
    docker(List.of("rm", "-f", member(container)));
  }
}
