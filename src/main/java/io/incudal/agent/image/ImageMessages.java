package io.incudal.agent.image;

import io.incudal.agent.bus.AgentMessage;
import io.incudal.agent.bus.Request;
import java.util.List;

/** What can be asked of the image directory over the bus. */
public sealed interface ImageMessages {
  /** The cached list of master images; never touches the disk. */
  record ListMasters() implements ImageMessages, Request<MasterList> {}

  /** By name. */
  record MasterList(List<Master> masters) implements ImageMessages, AgentMessage {
    public MasterList {
      masters = List.copyOf(masters);
    }
  }

  /**
   * @param size in bytes
   * @param mtime in whole Unix seconds
   */
  record Master(String name, long size, long mtime) {}
}
