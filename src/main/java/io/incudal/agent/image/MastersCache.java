package io.incudal.agent.image;

import io.incudal.agent.bus.AgentException;
import io.incudal.agent.image.ImageMessages.Master;
import io.incudal.agent.image.ImageMessages.MasterList;
import io.vertx.core.Future;
import java.io.IOException;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The master images that were there when the directory was last read. A list that did not change
 * stays the same instance, so that it needs to be rendered once only. Not thread-safe: lives on one
 * verticle's context.
 */
final class MastersCache {
  private static final Logger LOG = LoggerFactory.getLogger(MastersCache.class);

  private MasterList last;
  private AgentException problem;

  /** The last good list; fails when there has never been one. */
  Future<MasterList> answer() {
    return last == null ? Future.failedFuture(problem) : Future.succeededFuture(last);
  }

  /** Whether there is a list at all. */
  boolean known() {
    return last != null;
  }

  /** Takes in a new list, or keeps the last one when the directory could not be read. */
  Future<Void> keep(MasterList list, Throwable failure) {
    if (failure == null) {
      found(list);
    } else if (failure instanceof IOException unreadable) {
      failed(unreadable);
    } else {
      return Future.failedFuture(failure);
    }
    return Future.succeededFuture();
  }

  private void found(MasterList list) {
    if (problem != null) {
      LOG.info("image directory can be read again masters={}", list.masters().size());
      problem = null;
    }
    if (!list.equals(last)) {
      last = list;
    }
  }

  private void failed(IOException unreadable) {
    if (problem == null) {
      LOG.warn(
          "image directory cannot be read: {} offered reason={}",
          last == null ? "no masters are" : "the last known masters are",
          unreadable.toString());
    }
    problem = FileFailures.translate(unreadable, "listing the master images");
  }

  /** Reads the directory. Blocking. */
  static MasterList read(ImageDirectory directory) throws IOException {
    return new MasterList(directory.list(ImageName::isMaster, MastersCache::master));
  }

  private static Master master(Path file, BasicFileAttributes attributes) {
    return new Master(
        file.getFileName().toString(),
        attributes.size(),
        attributes.lastModifiedTime().to(TimeUnit.SECONDS));
  }
}
