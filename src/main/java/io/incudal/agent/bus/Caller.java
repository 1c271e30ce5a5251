package io.incudal.agent.bus;

import java.util.Optional;

/**
 * Who asked for an operation, for the audit log.
 *
 * @param client the peer's address without port, or {@code local} for the agent itself
 * @param principal the {@code sub} of a JWT, when one was used
 */
public record Caller(String client, Optional<String> principal) {
  /** The agent itself, in what it does unasked. */
  public static final Caller LOCAL = new Caller("local", Optional.empty());
}
