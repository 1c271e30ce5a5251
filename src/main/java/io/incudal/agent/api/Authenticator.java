package io.incudal.agent.api;

import io.vertx.core.Future;

/** Judges bearer tokens. Never fails and never blocks; a token that it cannot judge is refused. */
interface Authenticator {
  Future<Access> authenticate(String token);
}
