package io.incudal.agent.log;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import io.incudal.agent.config.LogConfig;
import io.incudal.agent.testing.CapturedLog;
import io.vertx.core.Vertx;
import io.vertx.junit5.VertxExtension;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Levels in a file, which is changed while the agent runs. */
@ExtendWith(VertxExtension.class)
class LevelsVerticleTest {
  private static final String EXEC = "io.incudal.agent.exec";

  private final LoggerContext context = new LoggerContext();
  private final CapturedLog log = new CapturedLog("io.incudal.agent");
  @TempDir private Path directory;
  private Path file;
  private Vertx vertx;

  @BeforeEach
  void place(Vertx vertx) {
    this.vertx = vertx;
    file = directory.resolve("levels");
  }

  @AfterEach
  void leave() {
    log.close();
  }

  @Test
  void takesLevelsUpAndGoesBackWhenTheyAreGone() throws IOException {
    start();
    assertEquals(Level.INFO, level(EXEC));
    write("# for today\n\n" + EXEC + " = debug\nio.netty=INFO\nroot=error\n");
    await(() -> level(EXEC) == Level.DEBUG);
    assertEquals(Level.INFO, level("io.netty.handler"));
    assertEquals(Level.INFO, level("io.incudal.agent.lun"));
    assertEquals(Level.ERROR, level("org.x"));
    write(EXEC + "=trace");
    await(() -> level(EXEC) == Level.TRACE);
    assertEquals(Level.WARN, level("io.netty.handler"));
    assertEquals(Level.WARN, level("org.x"));
    Files.delete(file);
    await(() -> level(EXEC) == Level.INFO);
    write("");
    pause();
    String changed = "log levels changed file=" + file + " levels=";
    assertEquals(
        List.of(
            changed + "{ROOT=ERROR, io.incudal.agent.exec=DEBUG, io.netty=INFO}",
            changed + "{io.incudal.agent.exec=TRACE}",
            changed + "{}"),
        log.lines());
  }

  @ParameterizedTest
  @ValueSource(strings = {"=debug", "debug", "io.netty=loud", "io.netty=", "io.netty debug"})
  void warnsOnceOfABadLineAndChangesNothing(String line) throws IOException {
    write(EXEC + "=debug\n");
    start();
    write("io.netty=trace\n" + line + "\n");
    await(() -> log.lines().size() == 2);
    pause();
    assertEquals(2, log.lines().size(), log.lines().toString());
    assertTrue(log.lines().get(1).endsWith("reason=line 2 is not logger=level"));
    assertEquals(Level.DEBUG, level(EXEC));
    assertEquals(Level.WARN, level("io.netty"));
  }

  @Test
  void startsAllTheSameWhenTheFileCannotBeRead() throws IOException {
    Files.createDirectory(file);
    start();
    pause();
    assertEquals(1, log.lines().size(), log.lines().toString());
    assertTrue(log.lines().get(0).startsWith("file cannot be used"), log.lines().toString());
    assertEquals(Level.INFO, level(EXEC));
  }

  private void start() {
    var config = new LogConfig(LogConfig.Format.TEXT, "info", Optional.of(file));
    LogbackSetup.apply(context, config, List::of);
    vertx.deployVerticle(new LevelsVerticle(context, config, file, Duration.ofMillis(5))).await();
  }

  private Level level(String name) {
    Logger logger = context.getLogger(name);
    return logger.getEffectiveLevel();
  }

  private void write(String content) throws IOException {
    Path next = Files.writeString(directory.resolve("next"), content);
    Files.move(next, file, StandardCopyOption.ATOMIC_MOVE);
  }

  /** Longer than a few looks at the file take. */
  private void pause() {
    vertx.timer(100, TimeUnit.MILLISECONDS).await();
  }

  private void await(BooleanSupplier condition) {
    for (int i = 0; i < 500 && !condition.getAsBoolean(); i++) {
      vertx.timer(10, TimeUnit.MILLISECONDS).await();
    }
    assertTrue(condition.getAsBoolean());
  }
}
