package io.incudal.agent.panel;

import io.incudal.agent.config.HostConfig;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.FileStore;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The host's figures, read from its {@code /proc} and its root file system.
 *
 * <p>Reads files, so it runs on a worker thread, one call at a time; never on the event loop. Read
 * by hand rather than through OSHI, which in a container finds the host only half: its place of
 * {@code /proc} can be moved, for the whole process, but its file systems are those that the
 * container sees. It also loads JNA's native part at each start, for the same seven small files.
 *
 * <p>A figure that cannot be had is left out, never guessed.
 */
final class HostReport {
  private static final List<String> INCUS_SOCKETS =
      List.of(
          "var/lib/incus/unix.socket",
          "var/snap/incus/common/lxd/unix.socket",
          "var/snap/lxd/common/lxd/unix.socket",
          "var/lib/lxd/unix.socket");
  private static final int FILE_TYPE = 0170000;
  private static final int SOCKET = 0140000;

  private final HostConfig host;
  private ProcText.CpuTimes before;

  HostReport(HostConfig host) {
    this.host = host;
  }

  /** Takes the first sample of the processors' work, so that the first report can have a usage. */
  void prime() {
    collect(new LinkedHashMap<>(), this::cpu);
  }

  /** {@code resources} of the heartbeat. */
  Map<String, Object> resources() {
    Map<String, Object> figures = new LinkedHashMap<>();
    collect(figures, this::cpu);
    collect(figures, this::memory);
    collect(figures, this::disk);
    collect(figures, this::processes);
    return figures;
  }

  /** The host's part of {@code metrics}. */
  Map<String, Object> metrics() {
    Map<String, Object> figures = new LinkedHashMap<>();
    collect(figures, into -> into.put("uptimeSeconds", (long) ProcText.number(read("uptime"), 0)));
    collect(figures, this::load);
    return figures;
  }

  /** {@code incus} of the heartbeat. */
  Map<String, Object> incus() {
    for (String candidate : INCUS_SOCKETS) {
      if (isSocket(host.root().resolve(candidate))) {
        return Map.of("available", true, "socket", "/" + candidate);
      }
    }
    return Map.of("available", false, "socket", "");
  }

  private interface Figures {
    void addTo(Map<String, Object> figures) throws IOException;
  }

  private static void collect(Map<String, Object> figures, Figures group) {
    try {
      group.addTo(figures);
    } catch (IOException | RuntimeException unreadable) {
      // Left out; that the panel misses it says as much as a line every 30 seconds would.
    }
  }

  private void cpu(Map<String, Object> figures) throws IOException {
    ProcText.CpuTimes now = ProcText.cpuTimes(read("stat"));
    figures.put("cpuTotal", now.cpus());
    if (before != null && now.total() > before.total()) {
      long idle = now.idle() - before.idle();
      long total = now.total() - before.total();
      // The idle counter of a virtual machine may step back a little.
      figures.put("cpuUsagePercent", percent(Math.min(Math.max(total - idle, 0), total), total));
    }
    before = now;
  }

  private void memory(Map<String, Object> figures) throws IOException {
    Map<String, Long> kib = ProcText.memory(read("meminfo"));
    Long total = kib.get("MemTotal");
    Long available = kib.get("MemAvailable");
    if (total != null) {
      figures.put("memoryTotalMb", total / 1024);
    }
    if (total != null && available != null) {
      figures.put("memoryAvailableMb", available / 1024);
      figures.put("memoryUsedMb", (total - available) / 1024);
      figures.put("memoryUsagePercent", percent(total - available, total));
    }
    Long swap = kib.get("SwapTotal");
    Long free = kib.get("SwapFree");
    if (swap != null && free != null) {
      figures.put("swapTotalMb", swap / 1024);
      figures.put("swapUsedMb", (swap - free) / 1024);
      figures.put("swapUsagePercent", percent(swap - free, swap));
    }
  }

  private void disk(Map<String, Object> figures) throws IOException {
    FileStore store = Files.getFileStore(host.root());
    long total = store.getTotalSpace();
    long used = total - store.getUnallocatedSpace();
    long available = store.getUsableSpace();
    figures.put("diskMountpoint", "/");
    figures.put("diskTotalBytes", total);
    figures.put("diskUsedBytes", used);
    figures.put("diskAvailableBytes", available);
    // As df has it: what is kept for root counts as neither used nor available.
    figures.put("diskUsagePercent", percent(used, used + available));
  }

  private void processes(Map<String, Object> figures) throws IOException {
    int count = 0;
    try (DirectoryStream<Path> entries = Files.newDirectoryStream(host.proc(), "[0-9]*")) {
      for (Path ignored : entries) {
        count++;
      }
    }
    figures.put("processCount", count);
  }

  private void load(Map<String, Object> figures) throws IOException {
    String loadavg = read("loadavg");
    figures.put("load1", ProcText.number(loadavg, 0));
    figures.put("load5", ProcText.number(loadavg, 1));
    figures.put("load15", ProcText.number(loadavg, 2));
  }

  private String read(String name) throws IOException {
    return Files.readString(host.proc().resolve(name));
  }

  private static double percent(long part, long whole) {
    return whole == 0 ? 0 : Math.round(1000.0 * part / whole) / 10.0;
  }

  private static boolean isSocket(Path path) {
    try {
      return ((int) Files.getAttribute(path, "unix:mode") & FILE_TYPE) == SOCKET;
    } catch (IOException absent) {
      return false;
    }
  }
}
