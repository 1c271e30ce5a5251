package io.incudal.agent.image;

import java.time.Duration;

/** Is told of every clone that was made. Called on a worker thread. */
public interface CloneListener {
  /**
   * @param bytes the length of the image, its holes included
   * @param took from opening the master to the end of the sync
   */
  void cloned(CloneMode mode, long bytes, Duration took);
}
