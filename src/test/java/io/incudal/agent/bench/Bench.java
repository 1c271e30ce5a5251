package io.incudal.agent.bench;

import io.incudal.agent.lab.Cli;
import java.io.IOException;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

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
      case "rates" -> bench.rates(Integer.parseInt(args[1]));
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
    double peer = new Peer(node).createSeconds(5) * 1000;
    Rows.note("the same by one docker exec a command", peer, "%.0f ms", "four commands");
    limit.cleanUp(DISKS);
  }

  private static void ratio(String what, double[] measured, double[] limits, double bar) {
    double seconds = Timings.middle(measured);
    double base = Timings.middle(limits);
    String detail =
        Rows.text("%.2f s, limit %.2f s, first round %.2f s", seconds, base, measured[0]);
    Rows.atMost(what, seconds / base, bar, "%.2f x limit", detail);
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

  private void rates(int barePort) throws IOException {
    String bare = "http://127.0.0.1:" + barePort + "/";
    String agent = "http://127.0.0.1:" + node.port();
    for (String url : List.of(bare, agent + "/healthz", agent + "/masters")) {
      wrk(url, 2);
    }
    Wrk base = wrk(bare, 5);
    Wrk health = wrk(agent + "/healthz", 5);
    Wrk masters = wrk(agent + "/masters", 5);
    Wrk again = wrk(bare, 5);
    double perSecond = (base.perSecond + again.perSecond) / 2;
    Rows.note("bare Vert.x handler, wrk -t1 -c64", perSecond, "%.0f/s", "before and after");
    compare("/healthz", health, perSecond, 0.8);
    compare("/masters", masters, perSecond, 0.5);
  }

  private static void compare(String what, Wrk measured, double base, double bar) {
    String detail = Rows.text("%.0f/s", measured.perSecond);
    Rows.atLeast(what + " rate", measured.perSecond / base, bar, "%.2f x bare", detail);
    Rows.atMost(what + " p99", measured.p99, 10, "%.1f ms", "");
  }

  private record Wrk(double perSecond, double p99) {}

  private Wrk wrk(String url, int seconds) {
    String header = "Authorization: Bearer " + node.token();
    String text =
        Cli.run("wrk", "-t1", "-c64", "-d" + seconds + "s", "--latency", "-H", header, url)
            .orFail();
    if (text.contains("Non-2xx")) {
      throw new IllegalStateException(url + " is refused: " + text);
    }
    Matcher rate = Pattern.compile("Requests/sec:\\s*([0-9.]+)").matcher(text);
    Matcher p99 = Pattern.compile("99%\\s*([0-9.]+)(us|ms|s)").matcher(text);
    if (!rate.find() || !p99.find()) {
      throw new IllegalStateException("wrk says: " + text);
    }
    double unit =
        switch (p99.group(2)) {
          case "us" -> 0.001;
          case "ms" -> 1;
          default -> 1000;
        };
    return new Wrk(Double.parseDouble(rate.group(1)), Double.parseDouble(p99.group(1)) * unit);
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
