package io.incudal.agent.lun;

import io.incudal.agent.image.CloneListener;
import io.incudal.agent.image.CloneMode;
import java.time.Duration;

/** Hears of turns and clones; made for counting. Must neither block nor throw. */
public interface LunListener extends CloneListener {
  /** Hears nothing. */
  LunListener NONE =
      new LunListener() {
        @Override
        public void turnBegan(Duration waited) {}

        @Override
        public void cloned(CloneMode mode, long bytes, Duration took) {}
      };

  /**
   * An operation came to its turn at its target. Called on the verticle's context.
   *
   * @param waited behind earlier operations of the same target
   */
  void turnBegan(Duration waited);
}
