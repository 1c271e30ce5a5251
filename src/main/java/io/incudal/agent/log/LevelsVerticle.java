package io.incudal.agent.log;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.LoggerContext;
import io.incudal.agent.config.LogConfig;
import io.incudal.agent.support.FileWatch;
import io.vertx.core.Future;
import io.vertx.core.VerticleBase;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Takes the levels of single loggers from a file that can be changed while the agent runs. A file
 * with a line that is none of these changes nothing; without a file, all are as configured.
 */
public final class LevelsVerticle extends VerticleBase {
  private static final Logger LOG = LoggerFactory.getLogger(LevelsVerticle.class);

  /** How soon a change is seen. */
  private static final Duration INTERVAL = Duration.ofSeconds(5);

  private final LoggerContext context;
  private final LogConfig config;
  private final Path file;
  private final Duration interval;
  private Map<String, Level> levels = Map.of();
  private FileWatch watch;

  /**
   * @param file its lines are {@code logger=level}; blank ones and those with # are passed over
   */
  public LevelsVerticle(LogConfig config, Path file) {
    this((LoggerContext) LoggerFactory.getILoggerFactory(), config, file, INTERVAL);
  }

  LevelsVerticle(LoggerContext context, LogConfig config, Path file, Duration interval) {
    this.context = context;
    this.config = config;
    this.file = file;
    this.interval = interval;
  }

  @Override
  public Future<?> start() {
    watch = new FileWatch(vertx, file, interval, this::read);
    return watch.start();
  }

  @Override
  public Future<?> stop() {
    return watch.stop();
  }

  private void read(Optional<String> content) {
    Map<String, Level> wanted = parse(content.orElse(""));
    if (!wanted.equals(levels)) {
      levels = wanted;
      LogbackSetup.level(context, config, wanted);
      LOG.info("log levels changed file={} levels={}", file, wanted);
    }
  }

  /**
   * @throws IllegalArgumentException names the first line that is no level
   */
  private Map<String, Level> parse(String content) {
    Map<String, Level> levels = new TreeMap<>();
    int number = 0;
    for (String line : content.split("\n", -1)) {
      number++;
      String text = line.strip();
      if (!text.isEmpty() && !text.startsWith("#")) {
        String[] parts = text.split("=", 2);
        Level level = Level.toLevel(parts[parts.length - 1].strip(), null);
        if (parts.length < 2 || parts[0].isBlank() || level == null) {
          throw new IllegalArgumentException("line " + number + " is not logger=level");
        }
        // The root's name may be spelled in any case.
        levels.put(context.getLogger(parts[0].strip()).getName(), level);
      }
    }
    return levels;
  }
}
