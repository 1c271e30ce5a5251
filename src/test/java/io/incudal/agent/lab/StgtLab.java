package io.incudal.agent.lab;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.UUID;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.BooleanSupplier;
import java.util.stream.Stream;

/** {@code tgtd} in a container of its own, on a free port of the loopback address. */
final class StgtLab implements Lab {
  /**
   * The image's own entry point ends with its tgtd; this one goes on, so that a test can take the
   * daemon away and leave the container.
   */
  private static final String SUPERVISOR =
      "while :; do [ -e /run/hold ] || tgtd -f -t 1 --iscsi portal=\"$ISCSI_PORTAL\";"
          + " sleep 0.05; done";

  /** The image has neither ps nor pkill. */
  private static final String SIGNAL =
      "for p in /proc/[0-9]*; do read -r name 2>/dev/null <$p/comm || continue;"
          + " [ \"$name\" != tgtd ] || kill -\"$1\" \"${p#/proc/}\"; done";

  private static final String ADMIN = "tgtadm --lld iscsi --op ";

  /** As many targets as there are have numbers below the one it takes. */
  private static final String EXPORT =
      "set -e; t=$(("
          + ("1000 + $(" + ADMIN + "show --mode target | grep -c ^Target)")
          + ")); "
          + (ADMIN + "new --mode target --tid $t -T \"$1\"; ")
          + (ADMIN + "new --mode logicalunit --tid $t --lun 1 -b \"$2\"");

  private static final String REMOVE =
      ("t=$(" + ADMIN + "show --mode target | sed -n \"s/^Target \\([0-9]*\\): $1\\$/\\1/p\");")
          + (ADMIN + "delete --mode target --tid $t --force");

  private final LabSettings settings;
  private final String container;
  private final InetSocketAddress portal;
  private final Path images;

  private StgtLab(LabSettings settings, String name) {
    String own = name.toLowerCase(Locale.ROOT) + "-" + UUID.randomUUID().toString().substring(0, 8);
    this.settings = settings;
    this.container = "incudal-" + own;
    this.portal = new InetSocketAddress(InetAddress.getLoopbackAddress(), freePort());
    this.images = settings.images().resolve(own);
  }

  static StgtLab open(LabSettings settings, String name) {
    StgtLab lab = new StgtLab(settings, name);
    try {
      lab.create();
      return lab;
    } catch (RuntimeException e) {
      lab.close();
      throw e;
    }
  }

  private void create() {
    try {
      Files.createDirectory(images);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    docker(
            List.of("run", "-d", "--name", container, "--network", "host", "--no-healthcheck"),
            List.of("-v", images + ":" + images, "-e", "ISCSI_PORTAL=" + address()),
            List.of("--entrypoint", "tini", settings.image(), "--", "sh", "-c", SUPERVISOR))
        .orFail();
    awaitDaemon(true);
  }

  @Override
  public String backend() {
    return "stgt";
  }

  @Override
  public int diskLun() {
    return 1;
  }

  @Override
  public boolean exportsCds() {
    return true;
  }

  @Override
  public boolean keepsTargets() {
    return false;
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
    return portal;
  }

  @Override
  public String container() {
    return container;
  }

  @Override
  public Cli.Output exec(String... command) {
    return docker(List.of("exec", container), List.of(command));
  }

  @Override
  public Duration patience() {
    return Duration.ofSeconds(20);
  }

  @Override
  public void exportByHand(String iqn, Path file) {
    exec("sh", "-c", EXPORT, "sh", iqn, file.toString()).orFail();
  }

  @Override
  public void removeByHand(String iqn) {
    exec("sh", "-c", REMOVE, "sh", iqn).orFail();
  }

  @Override
  public void stop() {
    docker(List.of("stop", container)).orFail();
  }

  @Override
  public void start() {
    docker(List.of("start", container)).orFail();
    awaitDaemon(true);
  }

  @Override
  public void pause() {
    docker(List.of("pause", container)).orFail();
  }

  @Override
  public void unpause() {
    docker(List.of("unpause", container)).orFail();
  }

  @Override
  public void stopDaemon() {
    exec("touch", "/run/hold").orFail();
    signalDaemon("KILL");
    awaitDaemon(false);
  }

  @Override
  public void startDaemon() {
    exec("rm", "-f", "/run/hold").orFail();
    awaitDaemon(true);
  }

  @Override
  public void signalDaemon(String signal) {
    exec("sh", "-c", SIGNAL, "sh", signal).orFail();
  }

  @Override
  public void close() {
    docker(List.of("rm", "-f", container)).orFail();
    try (Stream<Path> all = Files.walk(images)) {
      for (Path path : all.sorted(Comparator.reverseOrder()).toList()) {
        Files.delete(path);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private void awaitDaemon(boolean answering) {
    String[] ask = {"tgtadm", "--lld", "iscsi", "--mode", "sys", "--op", "show"};
    await("tgtd answers: " + answering, () -> exec(ask).ok() == answering);
  }

  private static void await(String what, BooleanSupplier condition) {
    long end = System.nanoTime() + 20_000_000_000L;
    while (!condition.getAsBoolean()) {
      if (System.nanoTime() > end) {
        throw new IllegalStateException("not within 20 s: " + what);
      }
      try {
        Thread.sleep(50);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw new IllegalStateException("interrupted while waiting: " + what, e);
      }
    }
  }

  private String address() {
    return portal.getAddress().getHostAddress() + ":" + portal.getPort();
  }

  @SafeVarargs
  private Cli.Output docker(List<String>... words) {
    List<String> command = new ArrayList<>(List.of("docker", "-H", settings.dockerHost()));
    for (List<String> part : words) {
      command.addAll(part);
    }
    return Cli.run(command);
  }

  /** Below the range from which the kernel gives out ports, so that nobody takes it meanwhile. */
  private static int freePort() {
    while (true) {
      int port = ThreadLocalRandom.current().nextInt(20_000, 32_000);
      try (ServerSocket probe = new ServerSocket(port, 1, InetAddress.getLoopbackAddress())) {
        return probe.getLocalPort();
      } catch (IOException e) {
        // In use: another one.
        continue;
      }
    }
  }
}
