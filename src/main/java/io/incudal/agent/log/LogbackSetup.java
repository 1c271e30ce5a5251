package io.incudal.agent.log;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.spi.Configurator;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.ConsoleAppender;
import ch.qos.logback.core.encoder.Encoder;
import ch.qos.logback.core.spi.ContextAwareBase;
import io.incudal.agent.config.LogConfig;
import io.incudal.agent.config.Secret;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;
import org.slf4j.LoggerFactory;

/**
 * Sets the agent's own log up: one line an event on standard output, written by the thread that
 * logs. Found by logback through its service loader, because reading XML would cost a tenth of the
 * start. Libraries are heard from WARN on, whatever the agent's level is.
 */
public final class LogbackSetup extends ContextAwareBase implements Configurator {
  private static final LogConfig UNTIL_CONFIGURED =
      new LogConfig(LogConfig.Format.TEXT, "info", Optional.empty());
  private static final String OWN = "io.incudal";

  /** Called by logback. */
  public LogbackSetup() {}

  @Override
  public ExecutionStatus configure(LoggerContext context) {
    // Tests bring their own settings.
    if (LogbackSetup.class.getResource("/logback-test.xml") != null) {
      return ExecutionStatus.INVOKE_NEXT_IF_ANY;
    }
    apply(context, UNTIL_CONFIGURED, List::of);
    return ExecutionStatus.DO_NOT_INVOKE_NEXT_IF_ANY;
  }

  /**
   * Goes over to the configured form and level.
   *
   * @param secrets what no line may hold; asked for each line, and must not block
   */
  public static void apply(LogConfig config, Supplier<List<Secret>> secrets) {
    apply((LoggerContext) LoggerFactory.getILoggerFactory(), config, secrets);
  }

  static void apply(LoggerContext context, LogConfig config, Supplier<List<Secret>> secrets) {
    level(context, config, Map.of());
    Logger root = context.getLogger(Logger.ROOT_LOGGER_NAME);
    root.detachAndStopAllAppenders();
    root.addAppender(console(context, new LineEncoder(form(config), secrets)));
  }

  /**
   * Sets the level of every logger.
   *
   * @param single those that differ from the configured ones, by name
   */
  static void level(LoggerContext context, LogConfig config, Map<String, Level> single) {
    Level level = Level.toLevel(config.level());
    Map<String, Level> wanted = new HashMap<>();
    wanted.put(Logger.ROOT_LOGGER_NAME, level.isGreaterOrEqual(Level.WARN) ? level : Level.WARN);
    wanted.put(OWN, level);
    wanted.putAll(single);
    context.getLoggerList().forEach(logger -> logger.setLevel(wanted.get(logger.getName())));
    wanted.forEach((name, own) -> context.getLogger(name).setLevel(own));
  }

  private static ConsoleAppender<ILoggingEvent> console(
      LoggerContext context, Encoder<ILoggingEvent> encoder) {
    var console = new ConsoleAppender<ILoggingEvent>();
    console.setContext(context);
    console.setName("console");
    console.setEncoder(encoder);
    console.start();
    return console;
  }

  private static LineEncoder.Form form(LogConfig config) {
    return config.format() == LogConfig.Format.JSON ? JsonLines::line : TextLines::line;
  }
}
