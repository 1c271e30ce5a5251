package io.incudal.agent.bus;

/** Every address on the event bus. Requests have one server, events any number of listeners. */
public final class Addresses {
  /** {@code LunMessages.Command}: create disk, mount CD, scan, delete. */
  public static final String LUN_COMMAND = "lun.command";

  /** {@code LunMessages.Query}: targets, capabilities, state of the back end. */
  public static final String LUN_QUERY = "lun.query";

  /** {@code LunMessages.Watch}: opening the back end and looking after it. */
  public static final String LUN_BACKEND = "lun.backend";

  /** {@code ImageMessages.ListMasters}. */
  public static final String IMAGE_MASTERS = "image.masters";

  /** {@code AuditMessages.Append} and {@code AuditMessages.CheckWritable}. */
  public static final String AUDIT_APPEND = "audit.append";

  /** {@code AuditMessages.ReadPage}. */
  public static final String AUDIT_READ = "audit.read";

  /** {@code UpgradeMessages.Offer}. */
  public static final String UPGRADE_OFFER = "upgrade.offer";

  /** {@code UpgradeMessages.ReadStatus}. */
  public static final String UPGRADE_STATUS = "upgrade.status";

  /** {@code MetricsMessages.Scrape}. */
  public static final String METRICS_SCRAPE = "metrics.scrape";

  /** Published {@code LunMessages.TargetsChanged}: a target was made or removed by the agent. */
  public static final String EVENT_TARGETS = "event.targets";

  /** Published {@code LunMessages.BackendChanged}: the back end came, went, or lost its targets. */
  public static final String EVENT_BACKEND = "event.backend";

  /** Published {@code UpgradeMessages.StatusChanged}. */
  public static final String EVENT_UPGRADE = "event.upgrade";

  /** Published {@code PanelMessages.HeartbeatAccepted}. */
  public static final String EVENT_HEARTBEAT = "event.heartbeat";

  /** Published {@code PanelMessages.HeartbeatEnded}, whatever its outcome. */
  public static final String EVENT_HEARTBEAT_ENDED = "event.heartbeat.ended";

  private Addresses() {}
}
