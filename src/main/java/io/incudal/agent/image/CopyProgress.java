package io.incudal.agent.image;

import io.incudal.agent.bus.AgentException;
import io.incudal.agent.bus.ErrorCode;
import java.time.Duration;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Follows one copy: says in the log how far it is, and ends it when the agent stops. */
final class CopyProgress {
  private static final Logger LOG = LoggerFactory.getLogger(CopyProgress.class);
  private static final long REPORT_AFTER = Duration.ofSeconds(10).toNanos();

  private final ImageName name;
  private final BooleanSupplier cancelled;
  private final LongSupplier clock;
  private long total;
  private long copied;
  private long started;
  private long reported;

  /**
   * @param name of the disk that is made
   * @param clock in nanoseconds
   */
  CopyProgress(ImageName name, BooleanSupplier cancelled, LongSupplier clock) {
    this.name = name;
    this.cancelled = cancelled;
    this.clock = clock;
  }

  /**
   * @param bytes to be copied in all
   */
  void begin(long bytes) {
    total = bytes;
    started = clock.getAsLong();
    reported = started;
    stopIfCancelled();
  }

  /** Called after every piece. */
  void advance(long bytes) {
    copied += bytes;
    stopIfCancelled();
    long now = clock.getAsLong();
    if (now - reported >= REPORT_AFTER) {
      reported = now;
      LOG.info("image being copied file={} {}", name, report(now));
    }
  }

  String report(long now) {
    double seconds = (now - started) / 1e9;
    double rate = copied / Math.max(seconds, 1e-9);
    long left = Math.round((total - copied) / Math.max(rate, 1));
    return "bytes=%d of=%d mib_per_second=%.0f seconds_left=%d"
        .formatted(copied, total, rate / (1 << 20), left);
  }

  private void stopIfCancelled() {
    if (cancelled.getAsBoolean()) {
      throw new AgentException(
          ErrorCode.STOPPING,
          "the agent stopped before the master was copied; send the request again");
    }
  }
}
