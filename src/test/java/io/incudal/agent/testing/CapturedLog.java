package io.incudal.agent.testing;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import java.util.List;
import org.slf4j.LoggerFactory;

/** What a room logged, from INFO on, since this was opened. */
public final class CapturedLog implements AutoCloseable {
  private final Logger logger;
  private final ListAppender<ILoggingEvent> lines = new ListAppender<>();

  public CapturedLog(String name) {
    logger = (Logger) LoggerFactory.getLogger(name);
    logger.setLevel(Level.INFO);
    lines.start();
    logger.addAppender(lines);
  }

  public List<String> lines() {
    return List.copyOf(lines.list).stream().map(ILoggingEvent::getFormattedMessage).toList();
  }

  @Override
  public void close() {
    logger.detachAppender(lines);
    logger.setLevel(null);
  }
}
