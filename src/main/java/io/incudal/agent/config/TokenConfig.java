package io.incudal.agent.config;

import java.nio.file.Path;
import java.util.Optional;

/**
 * The static bearer token: given as a value or as a file that is read again when it changes; one of
 * the two is there, and none only beside JWTs.
 *
 * @param previous accepted as well, so that a token can be changed without a moment of refusal
 */
public record TokenConfig(Optional<Secret> value, Optional<Path> file, Optional<Secret> previous) {}
