package io.incudal.agent.lab;

import java.io.DataInputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;

/** One iSCSI protocol data unit: the 48 bytes of its header, and its data without the padding. */
record IscsiPdu(ByteBuffer header, byte[] data) {
  static final int HEADER = 48;

  static final int NOP_OUT = 0x00;
  static final int SCSI_COMMAND = 0x01;
  static final int LOGIN = 0x03;
  static final int TEXT = 0x04;
  static final int LOGOUT = 0x06;
  static final int IMMEDIATE = 0x40;
  static final int FINAL = 0x80;

  static final int NOP_IN = 0x20;
  static final int SCSI_RESPONSE = 0x21;
  static final int DATA_IN = 0x25;

  static final int NO_TAG = -1;

  static IscsiPdu request(int opcode, int flags, byte[] data) {
    ByteBuffer header = ByteBuffer.allocate(HEADER);
    header.put(0, (byte) opcode).put(1, (byte) flags);
    // The upper byte is the length of additional headers, which nobody sends here.
    header.putInt(4, data.length);
    return new IscsiPdu(header, data);
  }

  int opcode() {
    return header.get(0) & 0x3f;
  }

  int flags() {
    return header.get(1) & 0xff;
  }

  int byteAt(int index) {
    return header.get(index) & 0xff;
  }

  int tag() {
    return header.getInt(16);
  }

  static IscsiPdu read(DataInputStream in) throws IOException {
    byte[] header = new byte[HEADER];
    in.readFully(header);
    ByteBuffer buffer = ByteBuffer.wrap(header);
    int extra = (header[4] & 0xff) * 4;
    in.readNBytes(extra);
    byte[] data = new byte[buffer.getInt(4) & 0xffffff];
    in.readFully(data);
    in.readNBytes(padding(data.length));
    return new IscsiPdu(buffer, data);
  }

  void write(OutputStream out) throws IOException {
    byte[] all = new byte[HEADER + data.length + padding(data.length)];
    System.arraycopy(header.array(), 0, all, 0, HEADER);
    System.arraycopy(data, 0, all, HEADER, data.length);
    out.write(all);
    out.flush();
  }

  private static int padding(int length) {
    return -length & 3;
  }
}
