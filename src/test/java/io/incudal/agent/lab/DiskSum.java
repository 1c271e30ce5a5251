package io.incudal.agent.lab;

import java.net.InetSocketAddress;
import java.security.MessageDigest;
import java.util.HexFormat;

/** Command line: logs in, reads a whole disk, prints its SHA-256. For scripts. */
final class DiskSum {
  private static final int CHUNK = 1 << 20;

  private DiskSum() {}

  /** Arguments: portal as host:port, IQN, LUN. */
  public static void main(String[] args) throws Exception {
    String[] address = args[0].split(":");
    var portal = new InetSocketAddress(address[0], Integer.parseInt(address[1]));
    int lun = Integer.parseInt(args[2]);
    MessageDigest sum = MessageDigest.getInstance("SHA-256");
    try (IscsiSession session = new Initiator(portal).login(args[1])) {
      long size = session.capacity(lun);
      for (long at = 0; at < size; at += CHUNK) {
        sum.update(session.read(lun, at, (int) Math.min(CHUNK, size - at)));
      }
    }
    System.out.println(HexFormat.of().formatHex(sum.digest()));
  }
}
