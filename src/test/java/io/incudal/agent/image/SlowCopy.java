package io.incudal.agent.image;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;

/**
 * A process that never ends copying a master; the first line that it prints says that it is at it.
 */
final class SlowCopy {
  private static final long PIECE = 1 << 20;

  private SlowCopy() {}

  public static void main(String[] arguments) throws IOException {
    ImageFile master = Masters.image(Path.of(arguments[0]));
    var natives = new FaultyFiles().copyingAtMost(PIECE).beforeCopies(SlowCopy::stopHalfWay);
    new Stager(
            new ImageDirectory(master.path().getParent()),
            () -> natives,
            (mode, bytes, took) -> {},
            System::nanoTime)
        .copy(master, new Stager.Order(ImageName.parse("disk.img"), Optional.empty()), () -> false);
  }

  private static void stopHalfWay(long offset) {
    if (offset > PIECE) {
      System.out.println("copying");
      try {
        new CountDownLatch(1).await();
      } catch (InterruptedException interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }
}
