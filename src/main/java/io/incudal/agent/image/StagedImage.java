package io.incudal.agent.image;

import java.nio.file.Path;

/**
 * A complete, synced image under a hidden name, waiting to be published.
 *
 * @param temporary where it lies now
 * @param name under which it is to appear
 */
public record StagedImage(Path temporary, ImageName name) {}
