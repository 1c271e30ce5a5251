package io.incudal.agent.lab;

import java.nio.ByteBuffer;

/** The SCSI command blocks that the tests send. */
final class Cdb {
  private Cdb() {}

  static byte[] inquiry() {
    return ByteBuffer.allocate(16).put(0, (byte) 0x12).put(4, (byte) 96).array();
  }

  static byte[] readCapacity10() {
    return ByteBuffer.allocate(16).put(0, (byte) 0x25).array();
  }

  static byte[] readCapacity16() {
    return ByteBuffer.allocate(16).put(0, (byte) 0x9e).put(1, (byte) 0x10).putInt(10, 32).array();
  }

  static byte[] read10(long block, int blocks) {
    return transfer(0x28, block, blocks);
  }

  static byte[] write10(long block, int blocks) {
    return transfer(0x2a, block, blocks);
  }

  private static byte[] transfer(int operation, long block, int blocks) {
    return ByteBuffer.allocate(16)
        .put(0, (byte) operation)
        .putInt(2, Math.toIntExact(block))
        .putShort(7, (short) blocks)
        .array();
  }
}
