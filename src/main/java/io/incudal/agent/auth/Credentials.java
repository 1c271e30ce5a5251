package io.incudal.agent.auth;

import io.incudal.agent.config.NodeConfig;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.time.Duration;
import java.util.Optional;

/**
 * Everything that a caller may show: the static token, and JWTs where they are configured. On the
 * event loop.
 */
public final class Credentials implements Authenticator {
  private static final Future<Access> FULL = Future.succeededFuture(Access.FULL);
  private static final Future<Access> REFUSED = Future.succeededFuture(Access.REFUSED);
  private static final Future<Void> NOTHING = Future.succeededFuture();

  private final TokenAuth token = new TokenAuth();
  private final TokenSource tokens;
  private final Optional<JwtAuth> jwt;

  /**
   * @param interval how often files are looked at
   */
  public Credentials(Vertx vertx, NodeConfig config, Duration interval) {
    tokens = new TokenSource(vertx, config.token(), interval, token::accept);
    jwt = config.jwt().map(settings -> new JwtAuth(vertx, settings, interval));
  }

  /** Completes when the static token is known; fails when it cannot be used. */
  public Future<Void> open() {
    return tokens.open();
  }

  /** The same for the keys of JWTs, which are not waited for: those who show one are. */
  public Future<Void> openKeys() {
    return jwt.map(JwtAuth::open).orElse(NOTHING);
  }

  public Future<Void> close() {
    return Future.join(tokens.close(), jwt.map(JwtAuth::close).orElse(NOTHING)).mapEmpty();
  }

  /** Whether a text is the static token. */
  public boolean isToken(String text) {
    return token.accepts(text);
  }

  @Override
  public Future<Access> authenticate(String text) {
    return token.accepts(text) ? FULL : jwt.map(judge -> judge.authenticate(text)).orElse(REFUSED);
  }
}
