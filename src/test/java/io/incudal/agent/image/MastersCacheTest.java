package io.incudal.agent.image;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.incudal.agent.bus.AgentException;
import io.incudal.agent.bus.ErrorCode;
import io.incudal.agent.image.ImageMessages.Master;
import io.incudal.agent.image.ImageMessages.MasterList;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.LoggerFactory;

class MastersCacheTest {
  private static final IOException UNREADABLE = new NoSuchFileException("/images");

  private final MastersCache cache = new MastersCache();

  @Test
  void readsRegularVisibleFilesWithTheMarkByName(@TempDir Path temp) throws IOException {
    Path second = Files.write(temp.resolve("win_tpl_11.img"), new byte[1024]);
    Files.setLastModifiedTime(second, FileTime.fromMillis(1_700_000_000_999L));
    Path first = Files.write(temp.resolve("_tpl_debian"), new byte[512]);
    Files.setLastModifiedTime(first, FileTime.fromMillis(1_600_000_000_000L));
    Files.createFile(temp.resolve("plain.img"));
    Files.createFile(temp.resolve(".x_tpl_.img"));
    Files.createDirectory(temp.resolve("dir_tpl_"));
    Files.createSymbolicLink(temp.resolve("link_tpl_.img"), first);
    assertEquals(
        new MasterList(
            List.of(
                new Master("_tpl_debian", 512, 1_600_000_000),
                new Master("win_tpl_11.img", 1024, 1_700_000_000))),
        MastersCache.read(new ImageDirectory(temp)));
  }

  @Test
  void keepsTheInstanceWhenNothingChanged() {
    MasterList first = list(1);
    cache.keep(first, null);
    cache.keep(list(1), null);
    assertSame(first, cache.answer().result());
    MasterList changed = list(2);
    cache.keep(changed, null);
    assertSame(changed, cache.answer().result());
  }

  @Test
  void failsUntilThereHasBeenAList() {
    cache.keep(null, UNREADABLE);
    var failure = assertThrows(AgentException.class, () -> cache.answer().await());
    assertEquals(ErrorCode.IO_ERROR, failure.code());
    assertEquals(
        "listing the master images failed: the image directory is not there; mount or create it",
        failure.getMessage());
  }

  @Test
  void keepsTheLastGoodListAndWarnsOncePerChangeOfState() { // B54
    ListAppender<ILoggingEvent> log = new ListAppender<>();
    log.start();
    var logger = (Logger) LoggerFactory.getLogger(MastersCache.class);
    logger.addAppender(log);
    try {
      cache.keep(list(1), null);
      cache.keep(null, UNREADABLE);
      cache.keep(null, UNREADABLE);
      assertEquals(list(1), cache.answer().result());
      cache.keep(list(1), null);
      cache.keep(null, UNREADABLE);
    } finally {
      logger.detachAppender(log);
    }
    var warnings =
        log.list.stream()
            .filter(event -> event.getLevel() == ch.qos.logback.classic.Level.WARN)
            .toList();
    assertEquals(2, warnings.size());
  }

  @Test
  void handsOnWhatItDoesNotKnow() {
    var defect = new IllegalStateException("defect");
    assertSame(defect, cache.keep(null, defect).cause());
    assertTrue(cache.answer().failed());
  }

  private static MasterList list(long size) {
    return new MasterList(List.of(new Master("a_tpl_", size, 1)));
  }
}
