package io.incudal.agent.panel;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.incudal.agent.config.HostConfig;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** On files that were captured on a machine with two processors, one of them busy. */
class HostReportTest {
  @TempDir Path host;
  private Path proc;
  private HostReport report;

  @BeforeEach
  void aHostElsewhere() throws IOException {
    proc = Files.createDirectory(host.resolve("proc"));
    for (String file : Set.of("stat", "meminfo", "loadavg", "uptime")) {
      capture("proc-busy", file);
    }
    report = new HostReport(new HostConfig(proc, host));
  }

  @Test
  void reportsProcessorsAndTheirUseSinceTheLastReport() throws IOException {
    report.prime();
    capture("proc-later", "stat");
    var figures = report.resources();
    assertEquals(2, figures.get("cpuTotal"));
    assertEquals(99.8, figures.get("cpuUsagePercent"));
  }

  @Test
  void leavesOutTheUseOfProcessorsUntilTimeHasPassed() {
    assertFalse(report.resources().containsKey("cpuUsagePercent"));
    assertFalse(report.resources().containsKey("cpuUsagePercent"));
  }

  @Test
  void reportsMemoryInWholeMebibytes() {
    var figures = report.resources();
    assertEquals(24105L, figures.get("memoryTotalMb"));
    assertEquals(23062L, figures.get("memoryAvailableMb"));
    assertEquals(1043L, figures.get("memoryUsedMb"));
    assertEquals(4.3, figures.get("memoryUsagePercent"));
  }

  @Test
  void reportsSwap() throws IOException {
    meminfo("MemTotal: 2048 kB\nSwapTotal: 4096 kB\nSwapFree: 1024 kB\n");
    var figures = report.resources();
    assertEquals(4L, figures.get("swapTotalMb"));
    assertEquals(3L, figures.get("swapUsedMb"));
    assertEquals(75.0, figures.get("swapUsagePercent"));
    assertFalse(figures.containsKey("memoryAvailableMb"), "a kernel without MemAvailable");
  }

  @Test
  void reportsAMachineWithoutSwapAsUnused() {
    assertEquals(0.0, report.resources().get("swapUsagePercent"));
  }

  @Test
  void reportsTheDiskOfTheHostsRootUnderTheHostsName() {
    var figures = report.resources();
    long total = (long) figures.get("diskTotalBytes");
    long used = (long) figures.get("diskUsedBytes");
    long available = (long) figures.get("diskAvailableBytes");
    assertEquals("/", figures.get("diskMountpoint"));
    assertTrue(used > 0 && available >= 0 && used + available <= total);
    double percent = (double) figures.get("diskUsagePercent");
    assertEquals(100.0 * used / (used + available), percent, 0.1);
  }

  @Test
  void countsProcessesOfTheHost() throws IOException {
    Files.createDirectory(proc.resolve("1"));
    Files.createDirectory(proc.resolve("4711"));
    Files.createDirectory(proc.resolve("sys"));
    assertEquals(2, report.resources().get("processCount"));
  }

  @Test
  void reportsLoadAndUptime() {
    assertEquals(
        Map.of("uptimeSeconds", 1707L, "load1", 3.33, "load5", 1.95, "load15", 0.92),
        report.metrics());
  }

  @Test
  void leavesOutWhatCannotBeReadAndReportsTheRest() throws IOException {
    meminfo("garbage: x\n");
    Files.delete(proc.resolve("loadavg"));
    Files.delete(proc.resolve("stat"));
    assertEquals(
        Set.of(
            "diskMountpoint",
            "diskTotalBytes",
            "diskUsedBytes",
            "diskAvailableBytes",
            "diskUsagePercent",
            "processCount"),
        report.resources().keySet());
    assertEquals(Set.of("uptimeSeconds"), report.metrics().keySet());
  }

  @Test
  void takesTheFirstIncusSocketThatIsASocket() throws IOException {
    Path plain = host.resolve("var/lib/incus/unix.socket");
    Path socket = host.resolve("var/snap/lxd/common/lxd/unix.socket");
    Files.createDirectories(plain.getParent());
    Files.createFile(plain);
    Files.createDirectories(socket.getParent());
    try (var server = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
      server.bind(UnixDomainSocketAddress.of(socket));
      assertEquals(
          Map.of("available", true, "socket", "/var/snap/lxd/common/lxd/unix.socket"),
          report.incus());
    }
  }

  @Test
  void reportsNoIncusWhereThereIsNone() {
    assertEquals(Map.of("available", false, "socket", ""), report.incus());
  }

  private void meminfo(String text) throws IOException {
    Files.writeString(proc.resolve("meminfo"), text);
  }

  private void capture(String situation, String file) throws IOException {
    try (var captured = getClass().getResourceAsStream("/panel/" + situation + "/" + file)) {
      Files.copy(captured, proc.resolve(file), StandardCopyOption.REPLACE_EXISTING);
    }
  }
}
