package io.incudal.agent.bench;

import io.incudal.agent.lab.Cli;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/**
 * The benchmark's part for LIO: the agent against one {@code docker exec … targetcli} a command,
 * and what is left for an operator's own {@code targetcli}. {@code load} leaves 250 targets behind;
 * {@code returned WHAT BEGIN} waits until they are all listed. Prints rows, see {@link Rows}.
 */
final class LioBench {
  private static final int CALLERS = 16;
  private static final int CREATES = 50;
  private static final int LISTED = 200;
  private static final int ALL = 250;
  private static final int PEER_CREATES = 3;

  /** Asks for targetcli's lock for ten seconds, and prints the longest wait in milliseconds. */
  private static final String LOCK_WAIT =
      "end=$(($(date +%s) + 10)) most=0; while [ $(date +%s) -lt $end ]; do b=$(date +%s%N);"
          + " flock -w 60 /var/run/targetcli.lock true || exit 1;"
          + " w=$((($(date +%s%N) - b) / 1000000)); [ $w -le $most ] || most=$w; sleep 0.1; done;"
          + " echo $most";

  private final Node node = Node.ofEnvironment();

  public static void main(String[] args) throws Exception {
    LioBench bench = new LioBench();
    if (args[0].equals("load")) {
      bench.creates();
      bench.operator();
      bench.listing();
      bench.deletes();
    } else {
      bench.returned(args[1], Long.parseLong(args[2]));
    }
  }

  private void creates() throws Exception {
    double peer = peerCreateSeconds() * CREATES;
    double agent = node.load().times(CALLERS, CREATES, this::create).seconds();
    String detail =
        Rows.text("%.1f s, by docker exec %.0f s (mean of %d)", agent, peer, PEER_CREATES);
    Rows.atLeast("lio: 50 creates by 16 callers", peer / agent, 12, "%.1f x docker exec", detail);
  }

  /** With 50 targets, while others are made and removed, and then while nothing happens. */
  private void operator() throws Exception {
    var thread = Executors.newSingleThreadExecutor();
    Future<Double> wait = thread.submit(this::lockWaitSeconds);
    while (!wait.isDone()) {
      node.load().times(CALLERS, CALLERS, (caller, n) -> create(caller, 1000 + n));
      node.load().times(CALLERS, CALLERS, (caller, n) -> delete(caller, 1000 + n));
    }
    thread.shutdown();
    Rows.atMost(
        "lio: an operator's longest wait", wait.get(), 5, "%.2f s", "for the lock, in 10 s");
    Rows.atMost("lio: the same, idle agent", lockWaitSeconds(), 1, "%.2f s", "");
  }

  private double lockWaitSeconds() {
    return Double.parseDouble(node.sh(LOCK_WAIT)) / 1000;
  }

  private void listing() throws Exception {
    node.load().times(CALLERS, LISTED - CREATES, (caller, n) -> create(caller, CREATES + n));
    double[] peers = new double[3];
    for (int i = 0; i < peers.length; i++) {
      peers[i] = seconds(() -> targetcli("ls", "/iscsi"));
    }
    double peer = Timings.middle(peers);
    double agent = node.load().times(1, 15, LioBench::list).median() / 1000;
    String detail = Rows.text("%.0f ms, targetcli ls %.1f s", agent * 1000, peer);
    Rows.atMost("lio: /lun, 200 targets", agent / peer, 0.125, "%.3f x targetcli", detail);
  }

  private void deletes() throws Exception {
    node.load().times(CALLERS, ALL + CREATES - LISTED, (caller, n) -> create(caller, LISTED + n));
    Timings gone = node.load().times(CALLERS, CREATES, (caller, n) -> delete(caller, ALL + n));
    Rows.note("lio: a delete, 300 targets, 16 callers", gone.seconds() / CREATES, "%.2f s", "");
  }

  private void returned(String what, long beginMillis) throws IOException {
    int seen = -1;
    while (seen != ALL) {
      try (HttpCaller caller = node.caller()) {
        seen = caller.ok("GET", "/lun", "").text().split("\"iqn\"").length - 1;
      } catch (IOException notYet) {
        seen = -1;
      }
      if (System.currentTimeMillis() - beginMillis > 300_000) {
        throw new IOException(seen + " targets after 300 s");
      }
    }
    double took = (System.currentTimeMillis() - beginMillis) / 1000.0;
    Rows.note("lio: 250 targets again after " + what, took, "%.1f s", "");
  }

  /** One look at all targets, and a command for each step. */
  private double peerCreateSeconds() {
    double all = 0;
    for (int i = 0; i < PEER_CREATES; i++) {
      String name = "peer-" + i;
      Cli.run("truncate", "-s", "64M", image(name)).orFail();
      all += seconds(() -> peerCreate(name));
      targetcli("/iscsi", "delete", Node.BASE + ":" + name);
      targetcli("/backstores/fileio", "delete", name);
    }
    targetcli("saveconfig");
    return all / PEER_CREATES;
  }

  private void peerCreate(String name) {
    String target = Node.BASE + ":" + name;
    String group = "/iscsi/" + target + "/tpg1";
    targetcli("ls");
    targetcli("/backstores/fileio", "create", "name=" + name, "file_or_dev=" + image(name));
    targetcli("/iscsi", "create", target);
    targetcli(group + "/luns", "create", "/backstores/fileio/" + name);
    targetcli(group, "set", "attribute", "generate_node_acls=1");
    targetcli(group, "set", "attribute", "demo_mode_write_protect=0");
    targetcli("saveconfig");
  }

  private String image(String name) {
    return node.images().resolve(name + ".img").toString();
  }

  private void targetcli(String... words) {
    List<String> command = new ArrayList<>(List.of("docker", "exec", node.container()));
    command.add("targetcli");
    command.addAll(List.of(words));
    Cli.run(command).orFail();
  }

  private static double seconds(Runnable work) {
    long begin = System.nanoTime();
    work.run();
    return (System.nanoTime() - begin) / 1e9;
  }

  private void create(HttpCaller caller, int number) throws IOException {
    String body = "{\"iqn\":\"%s:bench-%d\",\"master\":\"bench_tpl.img\"}";
    caller.ok("POST", "/lun/disk", body.formatted(Node.BASE, number));
  }

  private void delete(HttpCaller caller, int number) throws IOException {
    String path = "/lun?iqn=%s:bench-%d&delete_file=true";
    caller.ok("DELETE", path.formatted(Node.BASE, number), "");
  }

  private static void list(HttpCaller caller, int number) throws IOException {
    caller.ok("GET", "/lun", "");
  }
}
