package io.incudal.agent.auth;

import io.vertx.core.Future;

/** Where the keys of JWTs come from. On the event loop. */
interface JwtKeySource {
  /** Begins; fails when there is no key, unless one may come later. */
  Future<Void> open();

  Future<Void> close();

  /** Those in force. */
  JwtKeys keys();

  /** The same after a look for newer ones, if now is the time for one. Never fails. */
  default Future<JwtKeys> fresh() {
    return Future.succeededFuture(keys());
  }
}
