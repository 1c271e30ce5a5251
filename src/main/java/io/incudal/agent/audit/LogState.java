package io.incudal.agent.audit;

/**
 * What is on the disk and has been promised to a caller; readers look no further.
 *
 * @param key which file it is, whatever its name; {@code null} when none is open
 * @param size up to which its lines are synced
 * @param lastId of the last entry, in this file or one before it
 * @param healthy whether the last attempt to write succeeded
 */
record LogState(Object key, long size, long lastId, boolean healthy) {
  static final LogState CLOSED = new LogState(null, 0, 0, false);

  LogState failed() {
    return new LogState(key, size, lastId, false);
  }
}
