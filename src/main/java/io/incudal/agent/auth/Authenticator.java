package io.incudal.agent.auth;

import io.vertx.core.Future;

/** Judges bearer tokens. Never fails and never blocks; a token that it cannot judge is refused. */
public interface Authenticator {
  Future<Access> authenticate(String token);
}
