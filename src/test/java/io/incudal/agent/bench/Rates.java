package io.incudal.agent.bench;

import io.incudal.agent.lab.Cli;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Requests per second by {@code wrk}: the agent's answers from memory against a bare handler. They
 * take turns in short rounds, so that a busy moment of the machine meets all of them.
 */
final class Rates {
  private static final int ROUNDS = 5;
  private static final int SECONDS = 2;
  private static final Pattern RATE = Pattern.compile("Requests/sec:\\s*([0-9.]+)");
  private static final Pattern P99 = Pattern.compile("99%\\s*([0-9.]+)(us|ms|s)");

  private final Node node;

  private record Round(double perSecond, double p99) {}

  Rates(Node node) {
    this.node = node;
  }

  void run(int barePort) {
    String agent = "http://127.0.0.1:" + node.port();
    List<String> urls =
        List.of("http://127.0.0.1:" + barePort + "/", agent + "/healthz", agent + "/masters");
    urls.forEach(this::round);
    List<List<Round>> all = new ArrayList<>();
    for (int i = 0; i < ROUNDS; i++) {
      all.add(urls.stream().map(this::round).toList());
    }
    double bare = Timings.middle(all.stream().mapToDouble(r -> r.get(0).perSecond).toArray());
    Rows.note("bare Vert.x handler, wrk -t1 -c64", bare, "%.0f/s", "");
    compare("/healthz", all, 1, 0.8);
    compare("/masters", all, 2, 0.5);
  }

  private static void compare(String what, List<List<Round>> all, int which, double bar) {
    double[] ratios =
        all.stream()
            .mapToDouble(round -> round.get(which).perSecond / round.get(0).perSecond)
            .toArray();
    double rate = Timings.middle(all.stream().mapToDouble(r -> r.get(which).perSecond).toArray());
    double p99 = Timings.middle(all.stream().mapToDouble(r -> r.get(which).p99).toArray());
    Rows.atLeast(
        what + " rate", Timings.middle(ratios), bar, "%.2f x bare", Rows.text("%.0f/s", rate));
    Rows.atMost(what + " p99", p99, 10, "%.1f ms", "");
  }

  private Round round(String url) {
    String header = "Authorization: Bearer " + node.token();
    String text =
        Cli.run("wrk", "-t1", "-c64", "-d" + SECONDS + "s", "--latency", "-H", header, url)
            .orFail();
    Matcher rate = RATE.matcher(text);
    Matcher p99 = P99.matcher(text);
    if (text.contains("Non-2xx") || !rate.find() || !p99.find()) {
      throw new IllegalStateException(url + ": " + text);
    }
    double unit =
        switch (p99.group(2)) {
          case "us" -> 0.001;
          case "ms" -> 1;
          default -> 1000;
        };
    return new Round(Double.parseDouble(rate.group(1)), Double.parseDouble(p99.group(1)) * unit);
  }
}
