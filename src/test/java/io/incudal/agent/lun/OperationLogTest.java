package io.incudal.agent.lun;

import static io.incudal.agent.lun.LunRoom.iqn;
import static org.junit.jupiter.api.Assertions.assertEquals;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.AppenderBase;
import io.incudal.agent.bus.LogTag;
import io.incudal.agent.testing.OnContext;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.junit5.VertxExtension;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.LoggerFactory;

/** Every line of an operation tells whose it is, and which target it is about. */
@ExtendWith(VertxExtension.class)
class OperationLogTest {
  private final Logger log = (Logger) LoggerFactory.getLogger("io.incudal.agent");
  private final List<String> lines = new CopyOnWriteArrayList<>();
  private final AppenderBase<ILoggingEvent> appender =
      new AppenderBase<>() {
        @Override
        protected void append(ILoggingEvent line) {
          String text = line.getFormattedMessage();
          lines.add(LogTag.REQUEST.current() + " " + LogTag.IQN.current() + " " + text);
        }
      };

  private Vertx vertx;
  private LunRoom room;

  @BeforeEach
  void open(Vertx vertx, @TempDir Path images) {
    this.vertx = vertx;
    room = new LunRoom(vertx, images).open();
    appender.start();
    log.setLevel(Level.INFO);
    log.addAppender(appender);
  }

  @AfterEach
  void leave() {
    log.detachAppender(appender);
    log.setLevel(null);
  }

  @Test
  void namesRequestAndTarget() {
    room.file("a.iso", 2048);
    ask("r-1", () -> room.disk("iqn", iqn("a"), "size", "1M")).await();
    ask("r-2", () -> room.cd("iso", "a.iso")).await();
    room.tgtd.login(iqn("a"), "iqn.x:initiator");
    ask("r-3", () -> room.delete("iqn", iqn("a"), "force", "true")).await();
    assertEquals(
        List.of(
            "r-1 " + iqn("a") + " disk created backing=" + room.images.resolve("a.img"),
            "r-2 " + iqn("a.iso") + " cd mounted backing=" + room.images.resolve("a.iso"),
            "r-3 " + iqn("a") + " session ended tid=1 initiator=iqn.x:initiator",
            "r-3 " + iqn("a") + " target deleted file=false"),
        lines);
  }

  @Test
  void namesThemToAnOperationThatWaitedForItsTurn() {
    Future<?> first = ask("r-1", () -> room.disk("iqn", iqn("a"), "size", "1M"));
    Future<?> second = ask("r-2", () -> room.delete("iqn", iqn("a")));
    Future<?> third = ask("r-3", () -> room.disk("iqn", iqn("b"), "size", "1M"));
    Future.all(first, second, third).await();
    assertEquals("r-2 " + iqn("a") + " target deleted file=false", line("deleted"));
    assertEquals(1, lines.stream().filter(line -> line.startsWith("r-3 " + iqn("b"))).count());
  }

  private String line(String part) {
    return lines.stream().filter(line -> line.contains(part)).findFirst().orElse("none");
  }

  /** As the HTTP side does, which knows the name where the caller gave it. */
  private <T> Future<T> ask(String id, Callable<Future<T>> call) {
    return OnContext.run(
        vertx.getOrCreateContext(),
        () -> {
          LogTag.REQUEST.bind(id);
          return call.call();
        });
  }
}
