package io.incudal.agent.panel;

import io.incudal.agent.support.AgentVersion;
import io.incudal.agent.upgrade.UpgradeMessages;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Composes the body of a heartbeat.
 *
 * <p>Reads the host's files, so it runs on a worker thread, one call at a time.
 */
final class BeatReport {
  private final HostReport host;
  private final PanelClock clock;
  private final Duration interval;
  private final String version = AgentVersion.current();

  BeatReport(HostReport host, PanelClock clock, Duration interval) {
    this.host = host;
    this.clock = clock;
    this.interval = interval;
  }

  /**
   * What other rooms have to tell.
   *
   * @param iscsi empty when the Agent API does not run
   */
  record Extras(Optional<Map<String, Object>> iscsi, Optional<UpgradeMessages.Attempt> upgrade) {
    static final Extras NONE = new Extras(Optional.empty(), Optional.empty());
  }

  /** Canonical JSON. */
  String print(Extras extras) {
    Map<String, Object> body = new LinkedHashMap<>();
    body.put("version", version);
    body.put("capabilities", capabilities(extras));
    body.put("runtime", Map.of("goos", "linux", "goarch", architecture()));
    body.put("incus", host.incus());
    body.put("resources", host.resources());
    body.put("metrics", metrics());
    extras.iscsi().ifPresent(figures -> body.put("iscsi", figures));
    extras.upgrade().ifPresent(attempt -> body.put("upgradeStatus", status(attempt)));
    return CanonicalJson.print(body);
  }

  private Map<String, Object> metrics() {
    Map<String, Object> metrics = host.metrics();
    metrics.put("reportedAt", clock.now().truncatedTo(ChronoUnit.SECONDS).toString());
    metrics.put("heartbeatIntervalSeconds", interval.toSeconds());
    return metrics;
  }

  private static List<String> capabilities(Extras extras) {
    List<String> words = new ArrayList<>(List.of("heartbeat", "report", "host-metrics"));
    extras.iscsi().ifPresent(figures -> words.add("iscsi"));
    return words;
  }

  private static Map<String, Object> status(UpgradeMessages.Attempt attempt) {
    Map<String, Object> status = new LinkedHashMap<>();
    status.put("phase", attempt.phase());
    status.put("version", attempt.version());
    status.put("reason", attempt.reason().orElse(""));
    status.put("at", attempt.at().truncatedTo(ChronoUnit.SECONDS).toString());
    return status;
  }

  private static String architecture() {
    String java = System.getProperty("os.arch");
    return java.equals("aarch64") ? "arm64" : java;
  }
}
