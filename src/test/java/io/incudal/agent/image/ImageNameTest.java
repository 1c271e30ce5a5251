package io.incudal.agent.image;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.incudal.agent.bus.AgentException;
import io.incudal.agent.bus.ErrorCode;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ImageNameTest {
  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        ".",
        "..",
        ".hidden.img",
        "../x.img",
        "/etc/passwd",
        "a/../../x",
        "a/b.img",
        "a\u0000.img",
        "a\n.img",
        "a\u007f.img",
        "a\u0085.img",
        "\ud800.img"
      })
  void refusesWhatLeavesTheDirectoryOrIsNoPlainName(String sent) { // B57
    var failure = assertThrows(AgentException.class, () -> ImageName.parse(sent));
    assertEquals(ErrorCode.INVALID_FILENAME, failure.code());
  }

  @Test
  void countsTheLengthInBytes() {
    ImageName.parse("x".repeat(255));
    assertThrows(AgentException.class, () -> ImageName.parse("x".repeat(256)));
    assertThrows(AgentException.class, () -> ImageName.parse("ü".repeat(128)));
  }

  @ParameterizedTest
  @ValueSource(strings = {"a.img", "%2e%2e", "a b.img", "ü.img", "-a.img", "a..img", "x"})
  void takesPlainNames(String sent) {
    assertEquals(sent, ImageName.parse(sent).value());
  }

  @Test
  void knowsKindsByTheEndInAnyCase() {
    assertTrue(ImageName.parse("A.IMG").isDisk());
    assertTrue(ImageName.parse("a.IsO").isIso());
    assertFalse(ImageName.parse("a.img.bak").isDisk());
    assertTrue(ImageName.parse("debian_tpl_12.img").isMaster());
    assertFalse(ImageName.parse("debian_TPL_12.img").isMaster());
  }
}
