package io.incudal.agent.support;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.net.URI;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class OriginTest {
  @ParameterizedTest
  @ValueSource(
      strings = {
        "https://panel.test",
        "HTTPS://PANEL.Test/",
        "https://panel.test:443/api?v=1#x",
        "https://panel.test:/"
      })
  void spellsOneOriginOneWay(String url) {
    assertEquals(new Origin("https", "panel.test", 443), Origin.of(URI.create(url)));
  }

  @Test
  void keepsOtherPortsAndAddressesApart() {
    assertEquals(new Origin("http", "127.0.0.1", 80), Origin.of(URI.create("http://127.0.0.1")));
    assertEquals(new Origin("https", "::1", 8443), Origin.of(URI.create("https://[::1]:8443/")));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "/api/agent/binary/x",
        "//panel.test/x",
        "https:panel.test",
        "https:///x",
        "https://panel.test@evil.test/",
        "https://@panel.test/",
        "https://a:b@panel.test/",
        "ftp://panel.test/",
        "file:///etc/passwd",
        "https://pa_nel.test/"
      })
  void refusesWhatNamesNoOrigin(String url) {
    assertThrows(IllegalArgumentException.class, () -> Origin.of(URI.create(url)));
  }
}
