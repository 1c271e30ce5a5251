package io.incudal.agent.target.lio;

import io.incudal.agent.bus.AgentException;
import io.incudal.agent.bus.ErrorCode;
import io.incudal.agent.exec.ToolCommand;
import io.incudal.agent.exec.ToolResult;
import io.incudal.agent.exec.ToolRunner;
import io.incudal.agent.target.Iqn;
import io.vertx.core.Future;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * LIO's own words: what the kernel shows and takes in configfs, by scripts in the container's
 * shell. One round trip for each, and no start of {@code targetcli}. Knows nothing of what the
 * agent wants. Touched on one context only; never blocks.
 */
final class Lio {
  static final int OTHER_KERNEL = 3;
  static final int NO_IMAGE = 5;
  static final int IMAGE_TAKEN = 6;
  static final int IN_USE = 7;
  static final int NO_LIO = 8;

  /**
   * {@link #export}: it is there; {@link #refuse}: it is not; {@link #remove}: another is meant.
   */
  static final int MISMATCH = 4;

  private static final int NOT_FOUND = 127;
  private static final int NO_CONNECTION = 255;
  private static final int MAX_OUTPUT = 500;

  private final ToolRunner tools;
  private final Duration limit;
  private final boolean writeBack;
  private String boot = "";

  Lio(ToolRunner tools, Duration limit, boolean writeBack) {
    this.tools = tools;
    this.limit = limit;
    this.writeBack = writeBack;
  }

  /** From now on, scripts that change something do so in this kernel only. */
  void expect(String bootId) {
    boot = bootId;
  }

  /** The kernel that answers; empty when it has no iSCSI targets at all. */
  Future<Optional<String>> boot() {
    return run(Script.PROBE, List.of())
        .compose(
            result ->
                result.exitCode() == NO_LIO
                    ? Future.succeededFuture(Optional.empty())
                    : accepted(result).map(ok -> Optional.of(ok.stdout().strip())));
  }

  /** Whether the kernel is the one that is expected. */
  boolean isExpected(String bootId) {
    return boot.equals(bootId);
  }

  /** Empty when the output did not arrive whole. */
  Future<Optional<LioListing>> list() {
    return run(Script.LIST, List.of())
        .compose(Lio::accepted)
        .map(result -> LioListing.parse(result.stdout()));
  }

  /** Makes backstore, target, LUN 0 and portal, or nothing. */
  Future<ToolResult> export(Iqn iqn, String backstore, Path image) {
    return run(
        Script.EXPORT,
        List.of(iqn.value(), backstore, image.toString(), writeBack ? "1" : "0", boot));
  }

  /** Closes a target for new logins, unless somebody is logged in and is to stay. */
  Future<ToolResult> refuse(Iqn iqn, boolean endSessions) {
    return run(Script.REFUSE, List.of(iqn.value(), endSessions ? "1" : "0", boot));
  }

  /**
   * Opens a target again.
   *
   * @param before as {@link Refusal} has it; empty to open what the agent made
   */
  Future<Void> admit(String iqn, List<String> before) {
    List<String> arguments = new ArrayList<>(List.of(iqn));
    arguments.addAll(before);
    return run(Script.ADMIT, arguments).compose(Lio::accepted).mapEmpty();
  }

  /** Removes a target and its sessions, whatever is left of it, and backstores that are unused. */
  Future<ToolResult> remove(String iqn, List<String> backstores) {
    return remove(limit, iqn, "", backstores);
  }

  /** Removes a target that was made for an image, or was begun, but no other of the same name. */
  Future<ToolResult> removeOf(Duration within, Iqn iqn, Path image) {
    return remove(within, iqn.value(), image.toString(), List.of());
  }

  private Future<ToolResult> remove(
      Duration within, String iqn, String image, List<String> backstores) {
    List<String> arguments = new ArrayList<>(List.of(iqn, image, boot));
    arguments.addAll(backstores);
    return tools.run(new ToolCommand(List.of(Script.REMOVE.step(arguments)), within));
  }

  private Future<ToolResult> run(Script script, List<String> arguments) {
    return tools.run(new ToolCommand(List.of(script.step(arguments)), limit));
  }

  static Future<ToolResult> accepted(ToolResult result) {
    return result.ok() ? Future.succeededFuture(result) : Future.failedFuture(failure(result));
  }

  /** What the caller is told of a script that did not end well. */
  static AgentException failure(ToolResult result) {
    String text = result.stderr().isBlank() ? result.stdout() : result.stderr();
    String shown = text.strip();
    if (shown.length() > MAX_OUTPUT) {
      shown = shown.substring(0, MAX_OUTPUT);
    }
    return switch (result.exitCode()) {
      case OTHER_KERNEL -> recovering();
      case NO_LIO ->
          new AgentException(
              ErrorCode.BACKEND_UNAVAILABLE,
              "the kernel has no iSCSI target: load the module iscsi_target_mod on the node, and"
                  + " mount /sys/kernel/config into the iSCSI container");
      case NOT_FOUND -> new AgentException(ErrorCode.BACKEND_UNAVAILABLE, shown);
      default ->
          new AgentException(
              disconnected(result, shown)
                  ? ErrorCode.BACKEND_UNAVAILABLE
                  : ErrorCode.COMMAND_FAILED,
              "LIO failed with exit code " + result.exitCode() + ": " + shown);
    };
  }

  static AgentException recovering() {
    return new AgentException(
        ErrorCode.RECOVERING,
        "the node was started anew, and its targets are being restored; try again in a few"
            + " seconds");
  }

  /** What {@code targetcli} and its library say of a bus or a daemon that is being restarted. */
  private static boolean disconnected(ToolResult result, String text) {
    return result.exitCode() == NO_CONNECTION
        || text.contains("Could not connect")
        || text.contains("onnection refused");
  }

  /**
   * What {@code refuse.sh} printed.
   *
   * @param before arguments of {@code admit.sh} that make the target as it was
   * @param initiators who is logged in
   */
  record Refusal(List<String> before, List<String> initiators) {
    static Refusal parse(String text) {
      List<String> before = new ArrayList<>();
      List<String> initiators = new ArrayList<>();
      for (String line : text.lines().toList()) {
        if (line.startsWith("A ")) {
          before.addAll(List.of(line.substring(2).split(" ")));
        } else if (line.startsWith("S ") && !initiators.contains(line.substring(2))) {
          initiators.add(line.substring(2));
        }
      }
      return new Refusal(List.copyOf(before), List.copyOf(initiators));
    }
  }
}
