package io.incudal.agent.config;

import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;

/**
 * The Agent API's settings.
 *
 * @param jwt tokens that are good beside the static one
 * @param iqnBase lower-cased, without a trailing colon
 * @param auditFile the append-only JSON Lines file
 * @param stopTimeout how long running operations may take to end after SIGTERM
 */
public record NodeConfig(
    HttpConfig http,
    TokenConfig token,
    Optional<JwtConfig> jwt,
    String iqnBase,
    BackendConfig backend,
    ImageConfig images,
    Path auditFile,
    QueueConfig queue,
    Duration stopTimeout) {}
