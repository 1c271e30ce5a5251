package io.incudal.agent.image;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.incudal.agent.bus.AgentException;
import io.incudal.agent.bus.ErrorCode;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.WorkerExecutor;
import io.vertx.junit5.VertxExtension;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

@ExtendWith(VertxExtension.class)
class ImageStoreTest {
  private static final ImageName DISK = ImageName.parse("disk.img");
  private static final Optional<String> NO_IQN = Optional.empty();

  @TempDir Path temp;
  private WorkerExecutor copies;
  private ImageStore store;
  private FaultyFiles natives;

  @BeforeEach
  void makeStore(Vertx vertx) {
    natives = new FaultyFiles().failing("FICLONE", NativeFailure.EOPNOTSUPP);
    copies = vertx.createSharedWorkerExecutor("copies", 1);
    var directory = new ImageDirectory(temp);
    store =
        new ImageStore(
            directory,
            new Stager(directory, () -> natives, (mode, bytes, took) -> {}, System::nanoTime),
            vertx.createSharedWorkerExecutor("files", 2),
            copies);
  }

  @Test
  void clonesAndPublishes() throws IOException {
    ImageFile master = Masters.sparse(temp, "m_tpl_.img", 1 << 20, 4096);
    var staged = store.stageClone(master, DISK, Optional.of("iqn.x:own")).await();
    assertTrue(store.exportable().await().isEmpty());
    ImageFile disk = store.publish(staged).await();
    assertEquals(-1, Files.mismatch(master.path(), disk.path()));
    assertEquals(List.of("iqn.x:own"), disk.iqns());
    assertEquals(List.of(disk), store.exportable().await());
    assertEquals(List.of(disk), store.findByRecordedIqn("iqn.x:own").await());
    assertEquals(List.of(), store.findByRecordedIqn("iqn.x").await());
  }

  @Test
  void recordsAndForgetsIqns() throws IOException {
    Files.createFile(temp.resolve("cd.iso"));
    var iso = ImageName.parse("cd.iso");
    store.recordIqn(iso, "iqn.x:1").await();
    store.recordIqn(iso, "iqn.x:2").await();
    store.recordIqn(iso, "iqn.x:1").await();
    assertEquals(List.of("iqn.x:1", "iqn.x:2"), store.find(iso).await().orElseThrow().iqns());
    store.forgetIqn(iso, "iqn.x:1").await();
    store.forgetIqn(iso, "iqn.x:none").await();
    assertEquals(List.of("iqn.x:2"), store.find(iso).await().orElseThrow().iqns());
  }

  @Test
  void discardLeavesNothing() {
    var staged = store.stageEmpty(1 << 20, DISK, NO_IQN).await();
    store.discard(staged).await();
    assertFalse(Files.exists(staged.temporary()));
    store.discard(staged).await();
  }

  @Test
  void cancelsCopiesThatWait() throws Exception {
    ImageFile master = Masters.sparse(temp, "m_tpl_.img", 1 << 20, 4096);
    var go = new CountDownLatch(1);
    copies.executeBlocking(
        () -> {
          go.await();
          return null;
        },
        false);
    Future<StagedImage> staged = store.stageClone(master, DISK, NO_IQN);
    // Quick work does not wait behind the copies.
    store.stageEmpty(512, ImageName.parse("e.img"), NO_IQN).compose(store::publish).await();
    assertFalse(staged.isComplete());
    store.cancelCopies();
    go.countDown();
    var failure = assertThrows(AgentException.class, staged::await);
    assertEquals(ErrorCode.STOPPING, failure.code());
    assertEquals(0, store.sweep().await());
  }

  @Test
  void translatesFailures() throws IOException {
    natives.failing("copy_file_range", NativeFailure.ENOSPC);
    ImageFile master = Masters.sparse(temp, "m_tpl_.img", 1 << 20, 4096);
    Future<StagedImage> staged = store.stageClone(master, DISK, NO_IQN);
    var failure = assertThrows(AgentException.class, staged::await);
    assertEquals(ErrorCode.NO_SPACE, failure.code());
    assertEquals(
        "cloning 'm_tpl_.img' to 'disk.img' failed: the image directory has no space left; remove"
            + " disks or enlarge it",
        failure.getMessage());
  }

  @Test
  void passesOverMastersWhenListingWhatCanBeExported() throws IOException { // B05
    for (String name : List.of("_tpl_debian_12.img", "my_disk.img", "ok-1.img", "a.ISO")) {
      Files.createFile(temp.resolve(name));
    }
    assertEquals(
        List.of("a.ISO", "my_disk.img", "ok-1.img"),
        store.exportable().await().stream().map(file -> file.name().value()).toList());
  }

  @Test
  void namesTheFileSystem() {
    assertFalse(store.fileSystem().await().type().isEmpty());
  }
}
