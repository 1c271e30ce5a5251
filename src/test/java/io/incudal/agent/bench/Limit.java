package io.incudal.agent.bench;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * What the machine can do at best: a shell in the container that runs the same {@code tgtadm}
 * commands in a loop, without HTTP, Docker, files or a log.
 */
final class Limit {
  private static final int FIRST_TID = 500_000;
  private static final String CLOCK_BEGIN = "begin=$(date +%s%N); i=0; while [ $i -lt $1 ]; do ";
  private static final String CLOCK_END = " i=$((i+1)); done; echo $(($(date +%s%N) - begin))";
  private static final String ADMIN = "tgtadm --lld iscsi --op ";
  private static final String CREATE =
      CLOCK_BEGIN
          + (ADMIN + "new --mode target --tid $(($2+i)) -T $3:limit-$i && ")
          + (ADMIN + "new --mode logicalunit --tid $(($2+i)) --lun 1 -b $4/limit-$i.img && ")
          + (ADMIN + "bind --mode target --tid $(($2+i)) -I ALL || exit 1;")
          + CLOCK_END;
  private static final String DELETE =
      CLOCK_BEGIN + ADMIN + "delete --mode target --tid $(($2+i)) || exit 1;" + CLOCK_END;
  private static final String SHOW =
      CLOCK_BEGIN + ADMIN + "show --mode target >/dev/null || exit 1;" + CLOCK_END;

  private final Node node;

  Limit(Node node) {
    this.node = node;
  }

  /** Makes the files that {@link #create} exports. */
  void prepare(int count) throws IOException {
    for (int i = 0; i < count; i++) {
      try (var file = new RandomAccessFile(file(i).toFile(), "rw")) {
        file.setLength(64 << 20);
      }
    }
  }

  void cleanUp(int count) throws IOException {
    for (int i = 0; i < count; i++) {
      Files.deleteIfExists(file(i));
    }
  }

  double createSeconds(int count) {
    return seconds(node.sh(CREATE, count, FIRST_TID, Node.BASE, node.images()));
  }

  double deleteSeconds(int count) {
    return seconds(node.sh(DELETE, count, FIRST_TID));
  }

  double showsPerSecond(int count) {
    return count / seconds(node.sh(SHOW, count));
  }

  private Path file(int i) {
    return node.images().resolve("limit-" + i + ".img");
  }

  private static double seconds(String nanos) {
    return Long.parseLong(nanos) / 1e9;
  }
}
