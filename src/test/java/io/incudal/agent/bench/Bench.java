package io.incudal.agent.bench;

import static java.nio.file.StandardOpenOption.CREATE;
import static java.nio.file.StandardOpenOption.WRITE;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;

/**
 * Command line of the benchmark's parts: {@code create}, {@code listing}, {@code rates
 * PORT-OF-BARE}, {@code logs LINES}, {@code memory}. Prints rows, see {@link Rows}.
 */
final class Bench {
  private static final int CALLERS = 64;
  private static final int DISKS = 200;
  private static final int ROUNDS = 5;

  private final Node node = Node.ofEnvironment();
  private final Limit limit = new Limit(node);

  public static void main(String[] args) throws Exception {
    Bench bench = new Bench();
    switch (args[0]) {
      case "create" -> bench.create();
      case "listing" -> bench.listing();
      case "rates" -> new Rates(bench.node).run(Integer.parseInt(args[1]));
      case "logs" -> bench.logs(Integer.parseInt(args[1]));
      case "memory" ->
          Rows.atMost("memory after the load", bench.node.memory(), 140, "%.0f MiB", "VmRSS");
      default -> throw new IllegalArgumentException(args[0]);
    }
  }

  private void create() throws Exception {
    double[] creates = new double[ROUNDS];
    double[] deletes = new double[ROUNDS];
    double[] createLimits = new double[ROUNDS];
    double[] deleteLimits = new double[ROUNDS];
    limit.prepare(DISKS);
    // Both take turns, so that a busy moment of the machine meets both.
    for (int round = 0; round < ROUNDS; round++) {
      createLimits[round] = limit.createSeconds(DISKS);
      deleteLimits[round] = limit.deleteSeconds(DISKS);
      creates[round] = node.load().times(CALLERS, DISKS, this::createDisk).seconds();
      deletes[round] = node.load().times(CALLERS, DISKS, this::deleteDisk).seconds();
    }
    ratio("200 creates by 64 callers", creates, createLimits, 2);
    ratio("200 deletes with file by 64 callers", deletes, deleteLimits, 2.5);
    Timings idle = node.load().times(1, 100, this::createDisk);
    node.load().times(1, 100, this::deleteDisk);
    String detail = Rows.text("p95 %.1f ms, of 100", idle.percentile(95));
    Rows.atMost("one create, idle agent, median", idle.median(), 12, "%.1f ms", detail);
    Rows.note(
        "of it, one sync in the image directory", sync(), "%.1f ms", "a create makes two or more");
    double peer = new Peer(node).createSeconds(5) * 1000;
    Rows.note("the same by one docker exec a command", peer, "%.0f ms", "four commands");
    limit.cleanUp(DISKS);
  }

  /** Milliseconds that the disk below takes for a small file, which no agent can save. */
  private double sync() throws IOException {
    Path file = node.images().resolve("sync.probe");
    double[] took = new double[50];
    try (FileChannel channel = FileChannel.open(file, CREATE, WRITE)) {
      for (int i = 0; i < took.length; i++) {
        channel.write(ByteBuffer.wrap(new byte[512]));
        long begin = System.nanoTime();
        channel.force(false);
        took[i] = (System.nanoTime() - begin) / 1e6;
      }
    }
    Files.delete(file);
    return Timings.middle(took);
  }

  private static void ratio(String what, double[] measured, double[] limits, double bar) {
    double[] ratios = new double[measured.length];
    Arrays.setAll(ratios, round -> measured[round] / limits[round]);
    String detail =
        Rows.text(
            "%.2f s, limit %.2f s, first round %.2f s",
            Timings.middle(measured), Timings.middle(limits), measured[0]);
    Rows.atMost(what, Timings.middle(ratios), bar, "%.2f x limit", detail);
  }

  private void createDisk(HttpCaller caller, int number) throws IOException {
    String body = "{\"iqn\":\"%s:bench-%d\",\"master\":\"bench_tpl.img\"}";
    caller.ok("POST", "/lun/disk", body.formatted(Node.BASE, number));
  }

  private void deleteDisk(HttpCaller caller, int number) throws IOException {
    String path = "/lun?iqn=%s:bench-%d&delete_file=true";
    caller.ok("DELETE", path.formatted(Node.BASE, number), "");
  }

  private void listing() throws Exception {
    for (int targets : List.of(0, 200, 1000)) {
      limit.prepare(targets);
      limit.createSeconds(targets);
      double shows = limit.showsPerSecond(targets == 1000 ? 50 : 300);
      node.load().seconds(16, 1, Bench::list);
      Timings calls = node.load().seconds(16, 3, Bench::list);
      limit.deleteSeconds(targets);
      limit.cleanUp(targets);
      String what = "/lun, " + targets + " targets, 16 callers";
      String detail =
          Rows.text(
              "%.0f/s, show loop %.0f/s, p99 %.0f ms",
              calls.perSecond(), shows, calls.percentile(99));
      if (targets == 200) {
        Rows.atLeast(what, calls.perSecond() / shows, 1.5, "%.2f x show", detail);
      } else {
        Rows.note(what, calls.perSecond() / shows, "%.2f x show", detail);
      }
    }
  }

  private static void list(HttpCaller caller, int number) throws IOException {
    caller.ok("GET", "/lun", "");
  }

  private void logs(int lines) throws Exception {
    for (int since : List.of(lines - 100, lines / 2)) {
      for (String query : List.of("since=" + since + "&limit=100", "since=" + since)) {
        Load.Call call = (caller, number) -> caller.ok("GET", "/logs?" + query, "");
        node.load().times(1, 300, call);
        Timings calls = node.load().times(1, 300, call);
        String detail = Rows.text("p99 %.1f ms", calls.percentile(99));
        Rows.atMost("/logs?" + query, calls.median(), 3, "p50 %.2f ms", detail);
      }
    }
    try (HttpCaller caller = node.caller()) {
      String text = caller.ok("GET", "/logs?since=" + lines / 2, "").text();
      if (!text.contains("\"id\":" + (lines / 2 + 1000))) {
        throw new IOException("a page from the middle does not hold a thousand entries");
      }
    }
  }
}
