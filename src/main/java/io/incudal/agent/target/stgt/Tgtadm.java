package io.incudal.agent.target.stgt;

import io.incudal.agent.bus.AgentException;
import io.incudal.agent.bus.ErrorCode;
import io.incudal.agent.exec.ToolCommand;
import io.incudal.agent.exec.ToolResult;
import io.incudal.agent.exec.ToolRunner;
import io.incudal.agent.target.Backing;
import io.incudal.agent.target.Iqn;
import io.vertx.core.Future;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * The words of {@code tgtadm}: builds its argument vectors, runs them, and reads its answers. Knows
 * nothing of what the agent wants. Never blocks.
 *
 * <p>For every refusal tgtadm exits with 22, so that only its text tells them apart.
 */
final class Tgtadm {
  private static final int NO_DAEMON = 107;
  private static final String EXISTS = "this target already exists";
  private static final String MISSING = "can't find the target";
  private static final String ACTIVE = "is still active";
  private static final int SHOW_STEP = 0;

  /** For the question that a daemon in good health answers in a millisecond. */
  private static final Duration QUICK = Duration.ofSeconds(5);

  private static final int MAX_OUTPUT = 500;

  private final ToolRunner tools;
  private final Duration limit;
  private final Duration quick;
  private final List<String> tool;
  private final List<String> identity;

  Tgtadm(ToolRunner tools, Duration limit, OptionalInt controlPort) {
    this.tools = tools;
    this.limit = limit;
    this.quick = limit.compareTo(QUICK) < 0 ? limit : QUICK;
    List<String> words = new ArrayList<>(List.of("tgtadm"));
    controlPort.ifPresent(port -> words.addAll(List.of("-C", Integer.toString(port))));
    words.addAll(List.of("--lld", "iscsi"));
    this.tool = List.copyOf(words);
    String socket = "/var/run/tgtd/socket." + controlPort.orElse(0);
    this.identity = List.of("stat", "-c", Snapshot.IDENTITY_MARK + "%i %z", socket);
  }

  /** New target, new LUN 1, open to every initiator; the step tells how far it came. */
  Future<ToolResult> create(int tid, Iqn iqn, Backing backing) {
    String number = Integer.toString(tid);
    List<String> lun =
        step(
            "logicalunit",
            "new",
            number,
            "--lun",
            "1",
            "--backing-store",
            backing.file().toString());
    if (backing.cd()) {
      lun.addAll(List.of("--device-type", "cd"));
    }
    return run(
        limit,
        List.of(
            step("target", "new", number, "--targetname", iqn.value()),
            lun,
            step("target", "bind", number, "--initiator-address", "ALL")));
  }

  Future<ToolResult> bindAll(int tid) {
    return run(step("target", "bind", Integer.toString(tid), "--initiator-address", "ALL"));
  }

  Future<ToolResult> unbindAll(int tid) {
    return run(step("target", "unbind", Integer.toString(tid), "--initiator-address", "ALL"));
  }

  /**
   * Removes targets and their LUNs, one after another, each when nobody is logged in: which the
   * daemon decides in one step.
   */
  Future<ToolResult> delete(List<Integer> tids) {
    return run(
        limit, tids.stream().map(tid -> step("target", "delete", Integer.toString(tid))).toList());
  }

  Future<ToolResult> disconnect(int tid, TgtadmListing.Session session) {
    return run(
        step(
            "conn",
            "delete",
            Integer.toString(tid),
            "--sid",
            Integer.toString(session.sid()),
            "--cid",
            Integer.toString(session.cid())));
  }

  /** Whether the daemon has a target of this number: the cheapest question there is. */
  Future<Boolean> has(int tid) {
    return run(step("target", "show", Integer.toString(tid)))
        .compose(
            result ->
                result.ok() || missing(result)
                    ? Future.succeededFuture(result.ok())
                    : Future.failedFuture(failure(result)));
  }

  Future<List<TgtadmListing.Session>> sessions(int tid) {
    return run(step("conn", "show", Integer.toString(tid)))
        .compose(this::accepted)
        .map(result -> TgtadmListing.sessions(result.stdout()));
  }

  /** All targets, and which daemon it was that listed them. */
  Future<Snapshot> show() {
    return show(limit);
  }

  Future<Snapshot> show(Duration within) {
    return run(within, List.of(step("target", "show"), identity))
        .compose(result -> refused(result) ? accepted(result) : Future.succeededFuture(result))
        .compose(Tgtadm::read);
  }

  /** Which daemon answers; empty when it cannot be told. */
  Future<Optional<String>> identity() {
    return run(quick, List.of(step("sys", "show"), identity))
        .compose(result -> refused(result) ? accepted(result) : Future.succeededFuture(result))
        .map(result -> Snapshot.identityIn(result.stdout()));
  }

  static boolean exists(ToolResult result) {
    return result.stderr().contains(EXISTS);
  }

  static boolean missing(ToolResult result) {
    return result.stderr().contains(MISSING);
  }

  /** Whether a session, or a command that one has left behind, keeps the target. */
  static boolean active(ToolResult result) {
    return result.stderr().contains(ACTIVE);
  }

  /** What the caller is told of a command that did not end well. */
  static AgentException failure(ToolResult result) {
    if (result.exitCode() == NO_DAEMON) {
      return new AgentException(
          ErrorCode.BACKEND_UNAVAILABLE, "tgtd does not answer: is it running in its container?");
    }
    String output = (result.stderr().isBlank() ? result.stdout() : result.stderr()).strip();
    String shown = output.length() > MAX_OUTPUT ? output.substring(0, MAX_OUTPUT) : output;
    return new AgentException(
        ErrorCode.COMMAND_FAILED,
        "tgtadm failed with exit code " + result.exitCode() + ": " + shown + hint(output));
  }

  private static String hint(String output) {
    if (output.contains("out of memory")) {
      return " (the target daemon has no threads or memory left: delete targets or raise its"
          + " limits)";
    }
    if (output.contains("invalid request")) {
      return " (is the image directory mounted in the iSCSI container under the same path, and may"
          + " tgtd open the file?)";
    }
    return "";
  }

  private static Future<Snapshot> read(ToolResult result) {
    try {
      return Future.succeededFuture(Snapshot.of(result));
    } catch (IllegalArgumentException broken) {
      return Future.failedFuture(
          new AgentException(ErrorCode.COMMAND_FAILED, broken.getMessage(), broken));
    }
  }

  /** Whether the first step was refused; a system without {@code stat} is none. */
  private static boolean refused(ToolResult result) {
    return result.step() == SHOW_STEP && !result.ok();
  }

  private Future<ToolResult> accepted(ToolResult result) {
    return result.ok() ? Future.succeededFuture(result) : Future.failedFuture(failure(result));
  }

  private List<String> step(String mode, String op) {
    List<String> step = new ArrayList<>(tool);
    step.addAll(List.of("--mode", mode, "--op", op));
    return step;
  }

  private List<String> step(String mode, String op, String tid, String... more) {
    List<String> step = step(mode, op);
    step.addAll(List.of("--tid", tid));
    step.addAll(List.of(more));
    return step;
  }

  private Future<ToolResult> run(Duration within, List<List<String>> steps) {
    return tools.run(new ToolCommand(steps, within));
  }

  private Future<ToolResult> run(List<String> step) {
    return run(limit, List.of(step));
  }
}
