package io.incudal.agent.image;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.incudal.agent.bus.Addresses;
import io.incudal.agent.bus.AgentException;
import io.incudal.agent.bus.Bus;
import io.incudal.agent.bus.ErrorCode;
import io.incudal.agent.config.ImageConfig;
import io.incudal.agent.image.ImageMessages.ListMasters;
import io.incudal.agent.image.ImageMessages.Master;
import io.incudal.agent.image.ImageMessages.MasterList;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.junit5.VertxExtension;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

@ExtendWith(VertxExtension.class)
class MastersVerticleTest {
  private static final Duration LONG = Duration.ofDays(1);

  @TempDir Path temp;
  private Bus bus;

  @BeforeEach
  void makeMaster(Vertx vertx) throws IOException {
    bus = Bus.install(vertx);
    Files.createFile(temp.resolve("a_tpl_"));
  }

  @Test
  void neverSaysNoneBeforeItHasLooked(Vertx vertx) { // B54
    vertx.deployVerticle(verticle(temp, LONG)).await();
    assertEquals(List.of("a_tpl_"), names(ask().await()));
  }

  @Test
  void seesNewMastersByItself(Vertx vertx) throws IOException {
    vertx.deployVerticle(verticle(temp, Duration.ofMillis(5))).await();
    ask().await();
    Files.createFile(temp.resolve("b_tpl_"));
    Files.delete(temp.resolve("a_tpl_"));
    while (!names(ask().await()).equals(List.of("b_tpl_"))) {
      vertx.timer(2).await();
    }
  }

  @Test
  void failsWhileItHasNeverReadTheDirectory(Vertx vertx) {
    vertx.deployVerticle(verticle(temp.resolve("unmounted"), LONG)).await();
    var failure = assertThrows(AgentException.class, () -> ask().await());
    assertEquals(ErrorCode.IO_ERROR, failure.code());
  }

  @Test
  void recoversWhenTheDirectoryComesLate(Vertx vertx) throws IOException { // B58
    Path late = temp.resolve("late");
    vertx.deployVerticle(verticle(late, Duration.ofMillis(5))).await();
    assertThrows(AgentException.class, () -> ask().await());
    Files.createFile(Files.createDirectory(late).resolve("c_tpl_"));
    while (!names(ask().otherwise(new MasterList(List.of())).await()).equals(List.of("c_tpl_"))) {
      vertx.timer(2).await();
    }
  }

  @Test
  void stopsWhenUndeployed(Vertx vertx) {
    String id = vertx.deployVerticle(verticle(temp, Duration.ofMillis(5))).await();
    vertx.undeploy(id).await();
    assertEquals(
        ErrorCode.STOPPING, assertThrows(AgentException.class, () -> ask().await()).code());
  }

  private MastersVerticle verticle(Path directory, Duration interval) {
    return new MastersVerticle(bus, new ImageConfig(directory, 1 << 30, interval, 1));
  }

  private Future<MasterList> ask() {
    return bus.request(Addresses.IMAGE_MASTERS, new ListMasters(), Duration.ofSeconds(5));
  }

  private static List<String> names(MasterList list) {
    return list.masters().stream().map(Master::name).toList();
  }
}
