package io.incudal.agent.lab;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.stream.Stream;

/**
 * A real target daemon in a real container, owned by one test class.
 *
 * <p>What differs between the back ends is declared here and nowhere else, so that one test runs on
 * both. Ask for one as a parameter of a constructor or method of a class with {@code
 * ExtendWith(LabExtension.class)}. Every method blocks until what it asks for has happened.
 */
public interface Lab extends AutoCloseable {
  /** The value of {@code IPXE_BACKEND}. */
  String backend();

  /** Number of the LUN that holds a new target's disk. */
  int diskLun();

  /** Whether an ISO can be exported as a CD-ROM. */
  boolean exportsCds();

  /**
   * Whether targets come back with the daemon, without a scan. Then it has no process that a test
   * could take away, and a restart of the container loses nothing: {@link #powerCycle} does.
   */
  boolean keepsTargets();

  /** {@code DOCKER_HOST} of the engine that runs the container. */
  String dockerHost();

  /** Settings by which the agent finds all this, under the names of its environment. */
  default Map<String, String> settings() {
    return Map.of(
        "IPXE_BACKEND", backend(),
        "IPXE_ISCSI_CONTAINER", container(),
        "IPXE_DISK_DIR", images().toString(),
        "DOCKER_HOST", dockerHost());
  }

  /** This lab's own image directory: empty at first, the same path inside and outside. */
  Path images();

  /** Removes every image; what is a directory is a test's mistake. */
  default void removeImages() throws IOException {
    try (Stream<Path> files = Files.list(images())) {
      for (Path file : files.toList()) {
        Files.delete(file);
      }
    }
  }

  /** Where initiators log in. */
  InetSocketAddress portal();

  /** Name of the container, unique on the engine. */
  String container();

  /** Runs a program in the container. */
  Cli.Output exec(String... command);

  /** The longest that a scan of hundreds of files takes here. */
  Duration patience();

  /** Makes a target with the daemon's own tools, as an operator would. */
  void exportByHand(String iqn, Path file);

  /** Removes a target, and all that belongs to it, with the daemon's own tools. */
  void removeByHand(String iqn);

  /** Ends the container at once; what the daemon held in memory is gone. */
  void stop();

  /** Starts the stopped container and waits until the daemon answers. */
  void start();

  /** {@link #stop}, then {@link #start}. */
  default void restart() {
    stop();
    start();
  }

  /** Restarts what holds the targets in memory: the container, or the kernel below it. */
  default void powerCycle() {
    restart();
  }

  /** Freezes every process of the container. */
  void pause();

  /** Ends {@link #pause}. */
  void unpause();

  /** Ends the daemon while its container goes on; it stays down. */
  void stopDaemon();

  /** Starts the daemon again, without targets. */
  void startDaemon();

  /** Sends a signal such as {@code STOP} or {@code CONT} to the daemon. */
  void signalDaemon(String signal);

  default Initiator initiator() {
    return new Initiator(portal());
  }

  /** Removes the container and the image directory. */
  @Override
  void close();
}
