package io.incudal.agent.target.lio;

import io.incudal.agent.bus.AgentException;
import io.incudal.agent.bus.ErrorCode;
import io.incudal.agent.exec.ToolCommand;
import io.incudal.agent.exec.ToolResult;
import io.incudal.agent.exec.ToolRunner;
import io.vertx.core.Future;
import io.vertx.core.json.DecodeException;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * The saved configuration of {@code targetcli}, reached through its own library by {@code
 * lio-saved}, which says what differs from {@code targetcli saveconfig} and why. Knows which
 * targets are saved. Touched on one context only; never blocks.
 */
final class SavedConfig {
  private static final int LOCKED = 75;

  /** A node with thousands of targets needs minutes; others wait for it anyway. */
  private static final Duration RESTORE_LIMIT = Duration.ofMinutes(10);

  private static final Duration RESTORE_LOCK = Duration.ofSeconds(60);

  /** What a save may take more for each target, when it has to write all of them. */
  private static final Duration FOR_EACH_TARGET = Duration.ofMillis(50);

  private final ToolRunner tools;
  private final Duration limit;
  private final Set<String> saved = new HashSet<>();

  SavedConfig(ToolRunner tools, Duration limit) {
    this.tools = tools;
    this.limit = limit;
  }

  boolean has(String iqn) {
    return saved.contains(iqn);
  }

  /** Loads what is saved and is not in the kernel, as far as its images are there. */
  Future<Restored> restore() {
    return run(RESTORE_LIMIT, List.of("restore", Long.toString(RESTORE_LOCK.toSeconds())))
        .map(Restored::parse)
        .onSuccess(
            found -> {
              saved.clear();
              saved.addAll(found.saved());
            });
  }

  /**
   * Saves and forgets targets, in one run.
   *
   * @return those that were not there to be saved
   */
  Future<Set<String>> write(List<Change> changes) {
    List<String> arguments = new ArrayList<>(List.of("save", lockWait()));
    changes.forEach(change -> arguments.add(change.argument()));
    Duration within = limit.plus(FOR_EACH_TARGET.multipliedBy(saved.size()));
    return run(within, arguments)
        .map(reply -> strings(reply.getJsonArray("missing")))
        .onSuccess(missing -> changes.forEach(change -> remember(change, missing)));
  }

  /** Which targets are saved, read from the file. */
  Future<Set<String>> look() {
    return run(limit, List.of("look"))
        .map(reply -> strings(reply.getJsonArray("targets")))
        .onSuccess(
            found -> {
              saved.clear();
              saved.addAll(found);
            });
  }

  private void remember(Change change, Set<String> missing) {
    if (change.keep() && !missing.contains(change.iqn())) {
      saved.add(change.iqn());
    } else if (!change.keep()) {
      saved.remove(change.iqn());
    }
  }

  /** Half of the limit: a save that gets the lock at the last moment still has time to be done. */
  private String lockWait() {
    return String.valueOf(limit.toMillis() / 2000.0);
  }

  private Future<JsonObject> run(Duration within, List<String> arguments) {
    return tools
        .run(new ToolCommand(List.of(Script.SAVED.step(arguments)), within))
        .compose(SavedConfig::read);
  }

  private static Future<JsonObject> read(ToolResult result) {
    if (result.exitCode() == LOCKED) {
      return Future.failedFuture(
          new AgentException(
              ErrorCode.BACKEND_UNAVAILABLE,
              "the configuration cannot be saved while another program has targetcli's lock: "
                  + result.stderr().strip()
                  + "; an interactive targetcli keeps it until it is left"));
    }
    if (!result.ok()) {
      return Future.failedFuture(Lio.failure(result));
    }
    try {
      return Future.succeededFuture(new JsonObject(result.stdout().strip()));
    } catch (DecodeException noReply) {
      return Future.failedFuture(
          new AgentException(
              ErrorCode.COMMAND_FAILED, "lio-saved ended well but its reply did not arrive"));
    }
  }

  private static Set<String> strings(JsonArray array) {
    Set<String> strings = new HashSet<>();
    array.forEach(string -> strings.add(string.toString()));
    return strings;
  }

  /**
   * What is to be saved.
   *
   * @param keep whether the target is to be saved as it is now, or to be forgotten
   */
  record Change(String iqn, boolean keep) {
    String argument() {
      return (keep ? "+" : "-") + iqn;
    }

    boolean isDone(Set<String> savedNow) {
      return savedNow.contains(iqn) == keep;
    }
  }
}
