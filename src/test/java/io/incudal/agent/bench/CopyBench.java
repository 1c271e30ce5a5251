package io.incudal.agent.bench;

import io.incudal.agent.lab.Cli;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Path;
import java.util.Random;

/**
 * A large sparse master on a file system that cannot share blocks, copied by the agent and by
 * {@code cp}. Both end with the data on the disk: {@code cp} is followed by a sync of its copy.
 */
final class CopyBench {
  private static final int ROUNDS = 3;
  private static final long SIZE = 4L << 30;
  private static final int PIECE = 1 << 20;
  private static final int PIECES = 256;

  private final Node node = Node.ofEnvironment();
  private final Path master = node.images().resolve("large_tpl.img");
  private final Path copied = node.images().resolve("large.img");
  private final Path byCp = node.images().resolve("by-cp.img");

  public static void main(String[] args) throws Exception {
    new CopyBench().run();
  }

  private void run() throws Exception {
    makeMaster();
    double[] agent = new double[ROUNDS];
    double[] cp = new double[ROUNDS];
    for (int round = 0; round < ROUNDS; round++) {
      cp[round] = seconds(this::copyByCp);
      Cli.run("rm", byCp.toString()).orFail();
      agent[round] = seconds(this::copyByAgent);
      if (round == 0) {
        Cli.run("cmp", master.toString(), copied.toString()).orFail();
        double allocated = allocated(copied) / (double) (1 << 20);
        Rows.atMost("4 GiB master with 256 MiB, allocated", allocated, 260, "%.0f MiB", "ext4");
      }
      deleteCopy();
    }
    double ratio = Timings.middle(agent) / Timings.middle(cp);
    String detail =
        Rows.text("%.2f s, cp and sync %.2f s", Timings.middle(agent), Timings.middle(cp));
    Rows.atMost("its copy, against cp --sparse=always", ratio, 1.3, "%.2f x cp", detail);
  }

  private interface Work {
    void run() throws IOException;
  }

  private static double seconds(Work work) throws IOException {
    // What an earlier copy left to be written is not the next one's business.
    Cli.run("sync").orFail();
    long begin = System.nanoTime();
    work.run();
    return (System.nanoTime() - begin) / 1e9;
  }

  private void makeMaster() throws IOException {
    byte[] piece = new byte[PIECE];
    Random random = new Random(1);
    try (var file = new RandomAccessFile(master.toFile(), "rw")) {
      file.setLength(SIZE);
      for (int i = 0; i < PIECES; i++) {
        random.nextBytes(piece);
        file.seek(SIZE / PIECES * i);
        file.write(piece);
      }
    }
    Cli.run("sync").orFail();
  }

  private void copyByCp() {
    Cli.run("cp", "--sparse=always", master.toString(), byCp.toString()).orFail();
    Cli.run("sync", byCp.toString()).orFail();
  }

  private void copyByAgent() throws IOException {
    String body = "{\"iqn\":\"%s:large\",\"master\":\"large_tpl.img\"}".formatted(Node.BASE);
    try (HttpCaller caller = node.caller()) {
      caller.ok("POST", "/lun/disk", body);
    }
  }

  private void deleteCopy() throws IOException {
    try (HttpCaller caller = node.caller()) {
      caller.ok("DELETE", "/lun?iqn=" + Node.BASE + ":large&delete_file=true", "");
    }
  }

  private static long allocated(Path file) {
    return Long.parseLong(Cli.run("stat", "-c", "%b", file.toString()).orFail()) * 512;
  }
}
