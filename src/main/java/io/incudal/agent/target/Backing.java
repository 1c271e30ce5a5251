package io.incudal.agent.target;

import java.nio.file.Path;

/**
 * What a target is to export.
 *
 * @param file absolute path, the same in the agent and in the iSCSI container
 * @param cd whether it is exported read-only as a CD-ROM
 */
public record Backing(Path file, boolean cd) {}
