package io.incudal.agent.image;

/** How a clone was made. */
public enum CloneMode {
  /** It shares the master's blocks. */
  REFLINK,
  /** It has blocks of its own. */
  COPY
}
