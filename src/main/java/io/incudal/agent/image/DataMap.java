package io.incudal.agent.image;

import java.io.IOException;
import java.util.Optional;

/**
 * Where a file has data, and where holes. Not every file system tells: on one that does not, all of
 * the file counts as data, which {@link #knowsHoles} says.
 */
final class DataMap {
  private final OpenFile file;
  private final long length;
  private boolean knowsHoles;

  private DataMap(OpenFile file, boolean knowsHoles) throws IOException {
    this.file = file;
    this.length = file.size();
    this.knowsHoles = knowsHoles;
  }

  /** A stretch of data. */
  record Extent(long start, long end) {}

  /**
   * The map of a file, as far as its file system can tell.
   *
   * @param probe a file beside it that begins with a hole: a file system that calls this data would
   *     call all holes data
   */
  static DataMap of(OpenFile file, OpenFile probe) throws IOException {
    return new DataMap(file, tellsHoles(probe));
  }

  boolean knowsHoles() {
    return knowsHoles;
  }

  /** The length of the file that this is the map of, as it was at first. */
  long length() {
    return length;
  }

  /** The next stretch of data at or after an offset. */
  Optional<Extent> next(long offset) throws IOException {
    if (offset >= length) {
      return Optional.empty();
    }
    if (!knowsHoles) {
      return Optional.of(new Extent(offset, length));
    }
    try {
      long start = file.natives().seekData(file.descriptor(), offset);
      long end = file.natives().seekHole(file.descriptor(), start);
      return start >= length
          ? Optional.empty()
          : Optional.of(new Extent(start, Math.min(end, length)));
    } catch (NativeFailure failed) {
      return afterFailure(failed, offset);
    }
  }

  /** How much data there is in all. */
  long dataBytes() throws IOException {
    long sum = 0;
    Optional<Extent> extent = next(0);
    while (extent.isPresent()) {
      sum += extent.get().end() - extent.get().start();
      extent = next(extent.get().end());
    }
    return sum;
  }

  private Optional<Extent> afterFailure(NativeFailure failed, long offset) throws IOException {
    if (failed.errno() == NativeFailure.ENXIO) {
      return Optional.empty();
    }
    if (!failed.leavesAnotherWay()) {
      throw failed;
    }
    knowsHoles = false;
    return Optional.of(new Extent(offset, length));
  }

  private static boolean tellsHoles(OpenFile probe) {
    try {
      return probe.natives().seekData(probe.descriptor(), 0) > 0;
    } catch (NativeFailure failed) {
      return failed.errno() == NativeFailure.ENXIO;
    }
  }
}
