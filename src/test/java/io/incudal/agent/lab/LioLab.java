package io.incudal.agent.lab;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.UUID;
import java.util.stream.Stream;

/**
 * The kernel of {@code scripts/lab lio} and its one container. A kernel's targets are everybody's:
 * so test classes take it in turn, and each finds and leaves it without targets, in the kernel and
 * saved.
 */
public final class LioLab implements Lab {
  private final LabSettings settings;
  private final Path images;

  private LioLab(LabSettings settings, String name) {
    String own = name.toLowerCase(Locale.ROOT) + "-" + UUID.randomUUID().toString().substring(0, 8);
    this.settings = settings;
    this.images = settings.images().resolve(own);
  }

  static LioLab open(LabSettings settings, String name) {
    LioLab lab = new LioLab(settings, name);
    try {
      Files.createDirectory(lab.images);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    lab.clear();
    return lab;
  }

  /** Takes away every target, and everything that was saved. */
  public void clear() {
    exec("targetcli", "clearconfig", "confirm=True").orFail();
    exec("sh", "-c", "rm -rf /etc/rtslib-fb-target/*").orFail();
  }

  /** Where {@code targetcli} saves, as this machine sees it. */
  public Path configuration() {
    return Path.of(settings.value("LAB_CONFIG_DIR"));
  }

  @Override
  public String backend() {
    return "lio";
  }

  @Override
  public int diskLun() {
    return 0;
  }

  @Override
  public boolean exportsCds() {
    return false;
  }

  @Override
  public boolean keepsTargets() {
    return true;
  }

  @Override
  public String dockerHost() {
    return settings.dockerHost();
  }

  @Override
  public Path images() {
    return images;
  }

  @Override
  public InetSocketAddress portal() {
    String[] parts = settings.value("LAB_PORTAL").split(":");
    return new InetSocketAddress(InetAddress.getLoopbackAddress(), Integer.parseInt(parts[1]));
  }

  @Override
  public String container() {
    return "lio";
  }

  @Override
  public Cli.Output exec(String... command) {
    return docker(List.of("exec", container()), List.of(command));
  }

  /** User-Mode-Linux starts a process in what a node needs for ten. */
  @Override
  public Duration patience() {
    return Duration.ofMinutes(3);
  }

  @Override
  public void exportByHand(String iqn, Path file) {
    String name = iqn.substring(iqn.indexOf(':') + 1) + "-by-hand";
    exec("targetcli", "/backstores/fileio", "create", "name=" + name, "file_or_dev=" + file)
        .orFail();
    exec("targetcli", "/iscsi", "create", iqn).orFail();
    exec("targetcli", "/iscsi/" + iqn + "/tpg1/luns", "create", "/backstores/fileio/" + name)
        .orFail();
  }

  @Override
  public void removeByHand(String iqn) {
    String name = iqn.substring(iqn.indexOf(':') + 1) + "-by-hand";
    exec("targetcli", "/iscsi", "delete", iqn).orFail();
    exec("targetcli", "/backstores/fileio", "delete", name).orFail();
  }

  @Override
  public void stop() {
    docker(List.of("stop", container())).orFail();
  }

  @Override
  public void start() {
    docker(List.of("start", container())).orFail();
  }

  /** Cuts the kernel's power and boots it again. */
  @Override
  public void powerCycle() {
    Cli.run(
            "env",
            "INCUDAL_LAB_NAME=" + settings.values().getOrDefault("LAB_NAME", ""),
            "INCUDAL_LAB_STATE=" + Path.of(settings.value("LAB_STATE")).getParent(),
            "scripts/lab",
            "lio",
            "reboot")
        .orFail();
  }

  @Override
  public void pause() {
    docker(List.of("pause", container())).orFail();
  }

  @Override
  public void unpause() {
    docker(List.of("unpause", container())).orFail();
  }

  @Override
  public void stopDaemon() {
    throw noDaemon();
  }

  @Override
  public void startDaemon() {
    throw noDaemon();
  }

  @Override
  public void signalDaemon(String signal) {
    throw noDaemon();
  }

  private static IllegalStateException noDaemon() {
    return new IllegalStateException("LIO is no process: tag this test stgt");
  }

  @Override
  public void close() {
    clear();
    try (Stream<Path> all = Files.walk(images)) {
      for (Path path : all.sorted(Comparator.reverseOrder()).toList()) {
        Files.delete(path);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @SafeVarargs
  private Cli.Output docker(List<String>... words) {
    List<String> command = new ArrayList<>(List.of("docker", "-H", settings.dockerHost()));
    for (List<String> part : words) {
      command.addAll(part);
    }
    return Cli.run(command);
  }
}
