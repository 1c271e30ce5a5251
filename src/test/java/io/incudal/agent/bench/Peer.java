package io.incudal.agent.bench;

import io.incudal.agent.lab.Cli;
import java.util.ArrayList;
import java.util.List;

/** The plain way: one {@code docker exec} a command, one look at all targets before a create. */
final class Peer {
  private static final int TID = 900_000;

  private final Node node;

  Peer(Node node) {
    this.node = node;
  }

  /** Mean seconds of a create, one caller. */
  double createSeconds(int count) {
    String file = node.images().resolve("limit-0.img").toString();
    long begin = System.nanoTime();
    for (int i = 0; i < count; i++) {
      String tid = Integer.toString(TID + i);
      tgtadm("show", "target");
      tgtadm("new", "target", "--tid", tid, "-T", Node.BASE + ":peer-" + i);
      tgtadm("new", "logicalunit", "--tid", tid, "--lun", "1", "-b", file);
      tgtadm("bind", "target", "--tid", tid, "-I", "ALL");
    }
    double seconds = (System.nanoTime() - begin) / 1e9 / count;
    for (int i = 0; i < count; i++) {
      tgtadm("delete", "target", "--tid", Integer.toString(TID + i));
    }
    return seconds;
  }

  private void tgtadm(String operation, String mode, String... more) {
    List<String> command = new ArrayList<>(List.of("docker", "exec", node.container()));
    command.addAll(List.of("tgtadm", "--lld", "iscsi", "--op", operation, "--mode", mode));
    command.addAll(List.of(more));
    Cli.run(command).orFail();
  }
}
