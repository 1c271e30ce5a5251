package io.incudal.agent.config;

import java.nio.file.Path;
import java.util.Optional;

/**
 * PEM files of the Agent API's TLS; all of them are read again when they change.
 *
 * @param certificate the server's own first, then its chain
 * @param key the private key of the first one; secret
 * @param clientCa the CAs of client certificates, which callers then need beside the token
 */
public record TlsConfig(Path certificate, Path key, Optional<Path> clientCa) {}
