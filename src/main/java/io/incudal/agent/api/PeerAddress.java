package io.incudal.agent.api;

import io.vertx.core.net.SocketAddress;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** How a peer's address is written: no port, no zone, and IPv6 as RFC 5952 wants it. */
final class PeerAddress {
  private static final Pattern ZEROS = Pattern.compile("(?:^|:)0(?::0)+(?::|$)");

  private PeerAddress() {}

  static String of(SocketAddress peer) {
    String text = peer == null ? null : peer.hostAddress();
    return text == null ? "unknown" : compress(text);
  }

  /** Java writes all eight groups, without leading zeros; the longest run of zeros is left out. */
  static String compress(String text) {
    int zone = text.indexOf('%');
    String address = zone < 0 ? text : text.substring(0, zone);
    int start = -1;
    int end = -1;
    Matcher run = ZEROS.matcher(address);
    while (address.indexOf(':') >= 0 && run.find()) {
      if (run.end() - run.start() > end - start) {
        start = run.start();
        end = run.end();
      }
    }
    return start < 0 ? address : address.substring(0, start) + "::" + address.substring(end);
  }
}
