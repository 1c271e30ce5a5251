package io.incudal.agent.lun;

import io.incudal.agent.config.QueueConfig;
import io.incudal.agent.image.ImageName;
import io.incudal.agent.target.Iqn;
import io.vertx.core.Future;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.function.Supplier;

/**
 * Who has to wait for whom. Turns nest in one order only, so that nobody waits in a circle: a
 * target's, then those of its backing files in the order of their names. A scan's own turn comes
 * before both.
 */
final class Turns {
  private static final String ALL = "all";

  private final KeyedQueue targets;
  private final KeyedQueue scans;
  private final KeyedQueue files = new KeyedQueue();

  private final LunListener listener;

  Turns(QueueConfig limits, LunListener listener) {
    this.listener = listener;
    this.targets = new KeyedQueue(limits);
    this.scans = new KeyedQueue(limits);
  }

  /** A caller's turn at a target. */
  <T> Future<T> ofTarget(Iqn iqn, Supplier<Future<T>> task) {
    long asked = System.nanoTime();
    return targets.submit(
        iqn.value(),
        () -> {
          listener.turnBegan(Duration.ofNanos(System.nanoTime() - asked));
          return task.get();
        });
  }

  /** A caller's turn at a target, and at the file that it is to have. */
  <T> Future<T> ofTargetAndFile(Iqn iqn, ImageName file, Supplier<Future<T>> task) {
    return targets.submit(iqn.value(), () -> ofFile(file, task));
  }

  /** The turn of one file's target in a scan, which is not limited. */
  <T> Future<T> ofScannedTarget(Iqn iqn, Supplier<Future<T>> task) {
    return targets.enqueue(iqn.value(), task);
  }

  /** Scans run one after another; those that nobody asked for are not limited. */
  <T> Future<T> ofScan(boolean automatic, Supplier<Future<T>> task) {
    return automatic ? scans.enqueue(ALL, task) : scans.submit(ALL, task);
  }

  <T> Future<T> ofFile(ImageName name, Supplier<Future<T>> task) {
    return files.enqueue(name.folded(), task);
  }

  /** The turns of several files, named in their folded form. */
  <T> Future<T> ofFiles(Collection<String> folded, Supplier<Future<T>> task) {
    return ofSorted(folded.stream().distinct().sorted().toList(), task);
  }

  private <T> Future<T> ofSorted(List<String> folded, Supplier<Future<T>> task) {
    return folded.isEmpty()
        ? task.get()
        : files.enqueue(folded.get(0), () -> ofSorted(folded.subList(1, folded.size()), task));
  }

  /** Lets running operations end, and turns all others away. */
  Future<Void> close() {
    return Future.join(targets.close(), scans.close()).mapEmpty();
  }
}
