package io.incudal.agent.api;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.vertx.core.net.SocketAddress;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class PeerAddressTest {
  @ParameterizedTest
  @CsvSource({
    "127.0.0.1,127.0.0.1",
    "10.0.0.0,10.0.0.0",
    "::1,::1",
    "::,::",
    "2001:db8::1,2001:db8::1",
    "2001:db8:0:0:1:0:0:1,2001:db8::1:0:0:1",
    "2001:db8:0:1:1:1:1:1,2001:db8:0:1:1:1:1:1",
    "1:0:0:2:0:0:0:3,1:0:0:2::3",
    "fe80::,fe80::",
    "::ffff:192.0.2.7,192.0.2.7"
  })
  void isWrittenAsPeopleWriteIt(String sent, String written) throws UnknownHostException {
    var address = new InetSocketAddress(InetAddress.getByName(sent), 4711);
    assertEquals(written, PeerAddress.of(SocketAddress.inetSocketAddress(address)));
  }

  @Test
  void hasNoZone() {
    assertEquals("fe80::1", PeerAddress.compress("fe80:0:0:0:0:0:0:1%eth0"));
  }

  @Test
  void isUnknownWhenThePeerIsGone() {
    assertEquals("unknown", PeerAddress.of(null));
  }
}
