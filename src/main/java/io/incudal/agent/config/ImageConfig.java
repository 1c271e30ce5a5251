package io.incudal.agent.config;

import java.nio.file.Path;
import java.time.Duration;

/**
 * The image directory.
 *
 * @param maxDiskBytes upper limit of a new disk's size
 * @param parallelCopies how many full copies run side by side; further ones wait
 */
public record ImageConfig(
    Path directory, long maxDiskBytes, Duration mastersInterval, int parallelCopies) {}
