package io.incudal.agent.auth;

import static io.incudal.agent.auth.JwtClaims.require;

import io.incudal.agent.config.JwtConfig;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.WorkerExecutor;
import io.vertx.core.buffer.Buffer;
import io.vertx.ext.auth.JWTOptions;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Tokens that an issuer has signed. The cheap questions come first, so that a token that is not
 * meant for this agent costs no signature.
 *
 * <p>On the event loop; signatures, which may take milliseconds, on a worker of its own. Says why a
 * token was refused in the log only, and only at DEBUG, as anybody can send any.
 */
final class JwtAuth implements Authenticator {
  private static final Logger LOG = LoggerFactory.getLogger(JwtAuth.class);

  /**
   * Different tokens that are verified or wait for it; others are refused. Whoever floods the agent
   * with forged ones then keeps out new tokens, but none that are known, and nobody else.
   */
  private static final int MAX_PENDING = 64;

  private final JwtClaims claims;
  private final JwtKeySource source;
  private final WorkerExecutor worker;
  private final VerifiedTokens verified;
  private final Map<ByteBuffer, Future<Access>> pending = new HashMap<>();

  /**
   * @param interval how often a key file is looked at
   */
  JwtAuth(Vertx vertx, JwtConfig config, Duration interval) {
    InstantSource clock = InstantSource.system();
    this.claims = new JwtClaims(config, clock);
    this.source = source(vertx, config, interval);
    this.worker = vertx.createSharedWorkerExecutor("jwt", 1);
    this.verified = new VerifiedTokens(clock);
  }

  /** Fails when there is no key, unless one may come later. */
  Future<Void> open() {
    return source.open();
  }

  Future<Void> close() {
    return source.close().eventually(worker::close);
  }

  @Override
  public Future<Access> authenticate(String text) {
    ByteBuffer id = verified.id(text);
    Optional<Access> known = verified.find(id, source.keys());
    if (known.isPresent()) {
      return Future.succeededFuture(known.get());
    }
    Future<Access> running = pending.get(id);
    return running == null ? judge(id, text) : running;
  }

  private Future<Access> judge(ByteBuffer id, String text) {
    try {
      JwtToken token = JwtToken.parse(text);
      JwtClaims.Grant grant = claims.judge(token.claims());
      require(pending.size() < MAX_PENDING, "too many others");
      Future<Access> judged = verify(id, token, grant).otherwise(JwtAuth::refuse);
      if (!judged.isComplete()) {
        pending.put(id, judged);
        judged.onComplete(done -> pending.remove(id));
      }
      return judged;
    } catch (RuntimeException unfit) {
      return Future.succeededFuture(refuse(unfit));
    }
  }

  private Future<Access> verify(ByteBuffer id, JwtToken token, JwtClaims.Grant grant) {
    return keys(token)
        .compose(
            keys -> {
              JwtKey key = keys.of(token).orElseThrow(JwtAuth::unknown);
              return worker
                  .executeBlocking(() -> key.verify(token), false)
                  .compose(done -> done)
                  .onSuccess(good -> verified.add(id, keys, grant.access(), grant.end()));
            })
        .map(grant.access());
  }

  private Future<JwtKeys> keys(JwtToken token) {
    JwtKeys keys = source.keys();
    return keys.of(token).isPresent() ? Future.succeededFuture(keys) : source.fresh();
  }

  private static IllegalArgumentException unknown() {
    return new IllegalArgumentException("no such key");
  }

  private static Access refuse(Throwable reason) {
    LOG.debug("jwt refused reason=\"{}\"", reason.getMessage());
    return Access.REFUSED;
  }

  private static JwtKeySource source(Vertx vertx, JwtConfig config, Duration interval) {
    var maker =
        new JwtKey.Maker(
            vertx,
            new JWTOptions()
                .setIssuer(config.issuer())
                .setAudience(List.of(config.audience()))
                .setLeeway((int) config.leeway().toSeconds()));
    JwtConfig.KeySource keys = config.keys();
    if (keys instanceof JwtConfig.SharedSecret shared) {
      return new JwtSecret(new JwtKeys(List.of(maker.shared(shared.secret())), 0));
    }
    if (keys instanceof JwtConfig.PublicKeyFile pem) {
      return new JwtKeyFile(vertx, pem.file(), interval, file -> single(file, maker));
    }
    if (keys instanceof JwtConfig.JwksFile jwks) {
      return new JwtKeyFile(vertx, jwks.file(), interval, file -> several(file, maker));
    }
    return new JwksDownload(
        vertx,
        config,
        ((JwtConfig.JwksUrl) keys).url(),
        interval,
        answer -> JwtKeys.parse(answer, maker));
  }

  private static JwtKeys single(String file, JwtKey.Maker maker) {
    var key = maker.of(PublicKeyPem.parse(file), Optional.empty(), Optional.empty());
    return new JwtKeys(List.of(key), 0);
  }

  private static JwtKeys several(String file, JwtKey.Maker maker) {
    JwtKeys keys = JwtKeys.parse(Buffer.buffer(file), maker);
    require(!keys.all().isEmpty(), "it has no key that can be used");
    return keys;
  }

  /** The secret of the configuration, which never changes. */
  private record JwtSecret(JwtKeys keys) implements JwtKeySource {
    @Override
    public Future<Void> open() {
      return Future.succeededFuture();
    }

    @Override
    public Future<Void> close() {
      return Future.succeededFuture();
    }
  }
}
