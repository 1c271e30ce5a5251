package io.incudal.agent.target;

import java.util.Optional;

/**
 * A logical unit.
 *
 * @param number as an initiator sees it
 * @param backing path of the backing store as the daemon shows it; empty for the controller
 */
public record Lun(int number, Optional<String> backing) {}
