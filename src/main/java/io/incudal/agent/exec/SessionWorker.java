package io.incudal.agent.exec;

import io.incudal.agent.bus.AgentException;
import io.incudal.agent.bus.ErrorCode;

/**
 * Runs commands through a session that it opens when it needs one and opens again when that one is
 * lost. Belongs to one thread, but for {@link #ready} and {@link #instance}.
 */
final class SessionWorker implements ToolWorker {
  private final ShellKeeper keeper;
  private volatile ToolSession session;
  private boolean opened;

  SessionWorker(ShellKeeper keeper) {
    this.keeper = keeper;
  }

  @Override
  public boolean ready() {
    ToolSession current = session;
    return current != null && current.alive() && !keeper.owing();
  }

  @Override
  public void prepare() {
    if (session != null && !session.alive()) {
      abandon(false);
    }
    if (session == null) {
      session = keeper.open(opened);
      opened = true;
    }
    try {
      keeper.settle(session);
    } catch (ToolSession.Lost lost) {
      abandon(lost.late());
      throw new AgentException(
          ErrorCode.DOCKER_UNAVAILABLE, keeper.name() + " does not answer through Docker");
    }
  }

  @Override
  public ToolResult run(ToolCommand command) {
    try {
      return session.run(command.steps(), command.limit());
    } catch (ToolSession.Lost lost) {
      abandon(lost.late());
      throw lost.late() ? late(command) : broken();
    }
  }

  @Override
  public String instance() {
    return keeper.instance();
  }

  @Override
  public void close() {
    if (session != null) {
      session.close();
      session = null;
    }
  }

  private void abandon(boolean late) {
    keeper.abandon(session, late ? "no answer in time" : "stream ended");
    session = null;
  }

  private AgentException late(ToolCommand command) {
    return new AgentException(
        ErrorCode.COMMAND_TIMEOUT,
        command.steps().get(0).get(0)
            + " did not end within "
            + command.limit().toSeconds()
            + " s in "
            + keeper.name()
            + " and was stopped; its outcome is unknown");
  }

  /** Opening a session anew tells why the old one broke, and ends what it left. */
  private AgentException broken() {
    try {
      prepare();
      return unknown(ErrorCode.CONTAINER_UNAVAILABLE, "the session in " + keeper.name() + " broke");
    } catch (AgentException reason) {
      return unknown(reason.code(), reason.getMessage());
    }
  }

  private static AgentException unknown(ErrorCode code, String reason) {
    return new AgentException(
        code, reason + "; this happened while a command ran, whose outcome is unknown");
  }
}
