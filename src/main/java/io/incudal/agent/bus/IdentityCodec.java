package io.incudal.agent.bus;

import io.vertx.core.buffer.Buffer;
import io.vertx.core.eventbus.MessageCodec;

/** Hands messages over by reference; they never leave the process. */
final class IdentityCodec implements MessageCodec<AgentMessage, AgentMessage> {
  @Override
  public void encodeToWire(Buffer buffer, AgentMessage message) {
    throw new UnsupportedOperationException("messages are local");
  }

  @Override
  public AgentMessage decodeFromWire(int position, Buffer buffer) {
    throw new UnsupportedOperationException("messages are local");
  }

  @Override
  public AgentMessage transform(AgentMessage message) {
    return message;
  }

  @Override
  public String name() {
    return "agent";
  }

  @Override
  public byte systemCodecID() {
    return -1;
  }
}
