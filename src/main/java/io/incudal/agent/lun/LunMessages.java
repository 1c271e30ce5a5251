package io.incudal.agent.lun;

import io.incudal.agent.bus.AgentMessage;
import io.incudal.agent.bus.Caller;
import io.incudal.agent.bus.Request;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;

/** What can be asked of, and is told by, the worker verticle. */
public sealed interface LunMessages {
  /** Changes targets or files; one at a time for an IQN, and each one line in the audit log. */
  sealed interface Command<R extends AgentMessage> extends LunMessages, Request<R> {
    Caller caller();
  }

  /** Members {@code iqn}, {@code master}, {@code size}, {@code filename}. */
  record CreateDisk(Caller caller, Sent sent) implements Command<Exported> {}

  /** Members {@code iso}, {@code iqn}. */
  record MountCd(Caller caller, Sent sent) implements Command<Exported> {}

  /**
   * @param automatic whether the agent scans unasked ({@code auto_scan} in the audit log)
   */
  record Scan(Caller caller, boolean automatic) implements Command<Scanned> {}

  /**
   * Members {@code iqn}, {@code delete_file}, {@code force}: strings of the query, and a list where
   * one was given more than once.
   */
  record Delete(Caller caller, Sent sent) implements Command<Deleted> {}

  record Exported(String iqn, String backing) implements LunMessages, AgentMessage {}

  record Deleted(String iqn, boolean deleteFile) implements LunMessages, AgentMessage {}

  record Scanned(List<Created> created, List<String> skipped, List<Failed> failed)
      implements LunMessages, AgentMessage {
    public Scanned {
      created = List.copyOf(created);
      skipped = List.copyOf(skipped);
      failed = List.copyOf(failed);
    }

    public record Created(String iqn, boolean cd) {}

    public record Failed(String file, String detail) {}
  }

  /** Looks, and changes nothing. */
  sealed interface Query<R extends AgentMessage> extends LunMessages, Request<R> {}

  /** Waits for a running start-up or recovery scan, then fails with {@code RECOVERING}. */
  record ListTargets() implements Query<TargetList> {}

  /**
   * Callers that were served by one listing get the same instance, so that it needs to be rendered
   * once only.
   */
  record TargetList(List<TargetView> targets) implements LunMessages, AgentMessage {
    public TargetList {
      targets = List.copyOf(targets);
    }
  }

  /**
   * @param tid empty with LIO
   */
  record TargetView(OptionalInt tid, String iqn, List<LunView> luns) {
    public TargetView {
      luns = List.copyOf(luns);
    }
  }

  /**
   * @param backing empty for the controller LUN of stgt
   */
  record LunView(int lun, Optional<String> backing) {}

  /** Needs no back end. */
  record DescribeCapabilities() implements Query<Capabilities> {}

  record Capabilities(
      String backend,
      boolean cd,
      String persistent,
      String baseIqn,
      String fsType,
      String cloneMode,
      String emptyDisk)
      implements LunMessages, AgentMessage {}

  /** From memory: needs no back end. */
  record DescribeBackend() implements Query<BackendView> {}

  /**
   * @param ready whether the back end answers
   * @param scanned whether the start-up scan, or the last recovery scan, is done
   * @param targets how many it has; empty when it is not ready
   * @param problem what the operator can do when it is not ready
   */
  record BackendView(boolean ready, boolean scanned, OptionalInt targets, Optional<String> problem)
      implements LunMessages, AgentMessage {}

  /** From memory, at once; for whoever has to wait until nothing is under way. */
  record CountOperations() implements Query<Operations> {}

  /**
   * @param count commands that run or wait
   */
  record Operations(int count) implements LunMessages, AgentMessage {}

  /** Keeps the back end open; asked by the auto-scan only. */
  sealed interface Watch<R extends AgentMessage> extends LunMessages, Request<R> {}

  /** Opens the way to the back end, at start and after each loss. */
  record OpenBackend() implements Watch<BackendOpened> {}

  /**
   * @param needsScan whether an automatic {@link Scan} has to bring the targets back
   */
  record BackendOpened(boolean needsScan) implements LunMessages, AgentMessage {}

  /** A cheap look whether the back end answers. */
  record CheckBackend() implements Watch<BackendChecked> {}

  /**
   * @param same whether it still is the one that was opened, with its targets
   */
  record BackendChecked(boolean same) implements LunMessages, AgentMessage {}

  /** Published when {@link BackendView} changed but for the number of targets. */
  record BackendChanged(BackendView view) implements LunMessages, AgentMessage {}

  /** Published when the agent made or removed a target. */
  record TargetsChanged(int count) implements LunMessages, AgentMessage {}
}
