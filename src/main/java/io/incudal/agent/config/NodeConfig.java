package io.incudal.agent.config;

import java.nio.file.Path;
import java.time.Duration;

/**
 * The Agent API's settings.
 *
 * @param iqnBase lower-cased, without a trailing colon
 * @param auditFile the append-only JSON Lines file
 * @param stopTimeout how long running operations may take to end after SIGTERM
 */
public record NodeConfig(
    HttpConfig http,
    TokenConfig token,
    String iqnBase,
    BackendConfig backend,
    ImageConfig images,
    Path auditFile,
    QueueConfig queue,
    Duration stopTimeout) {}
