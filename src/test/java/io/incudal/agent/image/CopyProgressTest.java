package io.incudal.agent.image;

import static org.junit.jupiter.api.Assertions.assertEquals;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

class CopyProgressTest {
  private static final long SECOND = 1_000_000_000L;
  private static final long MIB = 1 << 20;

  private final Logger logger = (Logger) LoggerFactory.getLogger(CopyProgress.class);
  private final ListAppender<ILoggingEvent> log = new ListAppender<>();
  private long now = 5 * SECOND;

  @BeforeEach
  void catchLog() {
    logger.setLevel(ch.qos.logback.classic.Level.INFO);
    logger.setAdditive(false);
    logger.addAppender(log);
    log.start();
  }

  @AfterEach
  void releaseLog() {
    logger.detachAppender(log);
    logger.setAdditive(true);
    logger.setLevel(null);
  }

  @Test
  void saysEveryTenSecondsHowFarTheCopyIs() {
    var progress = new CopyProgress(ImageName.parse("a.img"), () -> false, () -> now);
    progress.begin(1000 * MIB);
    for (int second = 0; second < 25; second++) {
      now += SECOND;
      progress.advance(10 * MIB);
    }
    assertEquals(
        List.of(
            "image being copied file=a.img bytes=104857600 of=1048576000 mib_per_second=10"
                + " seconds_left=90",
            "image being copied file=a.img bytes=209715200 of=1048576000 mib_per_second=10"
                + " seconds_left=80"),
        log.list.stream().map(ILoggingEvent::getFormattedMessage).toList());
  }

  @Test
  void saysNothingOfAQuickCopy() {
    var progress = new CopyProgress(ImageName.parse("a.img"), () -> false, () -> now);
    progress.begin(MIB);
    now += 9 * SECOND;
    progress.advance(MIB);
    assertEquals(List.of(), log.list);
  }
}
