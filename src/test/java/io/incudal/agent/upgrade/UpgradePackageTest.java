package io.incudal.agent.upgrade;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.incudal.agent.support.Origin;
import java.net.URI;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** B94 and B91, as far as they can be seen without a network. */
class UpgradePackageTest {
  private static final Origin PANEL = Origin.of(URI.create("https://panel.test"));
  private static final String SHA = "0123456789abcdef".repeat(4);
  private static final String URL =
      "https://panel.test/api/agent/binary/incudal-agent-linux-amd64?v=v1.0.1";

  @Test
  void takesAnOfferOfThePanelsOwnOrigin() {
    var taken =
        UpgradePackage.of(
            new UpgradeMessages.Offer(
                "v1.0.1", URL, SHA.toUpperCase(), true, OptionalLong.of(1 << 20)),
            PANEL);
    assertEquals(
        new UpgradePackage("v1.0.1", URI.create(URL), SHA, true, OptionalLong.of(1 << 20)), taken);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "HTTPS://panel.test/x",
        "https://PANEL.TEST/x",
        "https://panel.test:443/x",
        "https://Panel.Test:443/x?y#z",
        "https://panel.test"
      })
  void takesOtherSpellingsOfTheSameOrigin(String url) {
    assertEquals(url, offer("v1.0.1", url, SHA).url().toString());
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "http://panel.test/x",
        "http://panel.test:443/x",
        "https://panel.test:8443/x",
        "https://panel.test:0/x",
        "https://panel.evil/x",
        "https://panel.test.evil/x",
        "https://evil.panel.test/x",
        "https://panel.test./x",
        "https://panel.test@evil.test/x",
        "https://evil@panel.test/x",
        "https://panel.test:443@evil.test/x",
        "https://panel.test%2eevil.test/x",
        "https://panel.test\\@evil.test/x",
        "https://evil.test#@panel.test/x",
        "https://evil.test?@panel.test/x",
        "https://evil.test/https://panel.test/x",
        "https:panel.test/x",
        "https:/panel.test/x",
        "https:///panel.test/x",
        "//panel.test/x",
        "/api/agent/binary/x",
        "api/agent/binary/x",
        "",
        " https://panel.test/x",
        "https://panel.test/a b",
        "https://[::1]/x",
        "https://xn--pnel-0na.test/x",
        "https://p\u0430nel.test/x",
        "ftp://panel.test/x",
        "file:///etc/passwd",
        "javascript:alert(1)",
        "jar:https://panel.test/x!/y"
      })
  void refusesEveryUrlThatLeadsElsewhere(String url) {
    var refused = assertThrows(UpgradeException.class, () -> offer("v1.0.1", url, SHA));
    assertTrue(url.isEmpty() || !refused.getMessage().contains(url), "the URL is not repeated");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"", "1.0.1", "v1.0", "v1.0.1-rc1", "v1.0.1.2", "V1.0.1", "v01.0.1", "v1.0.1\n"})
  void refusesAVersionThatIsNotOne(String version) {
    assertThrows(UpgradeException.class, () -> offer(version, URL, SHA));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"", "abc", "zz23456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"})
  void refusesAnOfferWithoutAHash(String sha256) {
    assertThrows(UpgradeException.class, () -> offer("v1.0.1", URL, sha256));
  }

  @ParameterizedTest
  @ValueSource(longs = {0, -1, (64L << 20) + 1, Long.MAX_VALUE})
  void refusesASizeThatNoPackageHas(long size) {
    var offer = new UpgradeMessages.Offer("v1.0.1", URL, SHA, false, OptionalLong.of(size));
    assertThrows(UpgradeException.class, () -> UpgradePackage.of(offer, PANEL));
  }

  private static UpgradePackage offer(String version, String url, String sha256) {
    return UpgradePackage.of(
        new UpgradeMessages.Offer(version, url, sha256, false, OptionalLong.empty()), PANEL);
  }
}
