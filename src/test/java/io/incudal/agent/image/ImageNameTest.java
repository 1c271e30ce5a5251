package io.incudal.agent.image;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.incudal.agent.bus.AgentException;
import io.incudal.agent.bus.ErrorCode;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ImageNameTest {
  /** B57: a name never leaves the directory, and never hides. */
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
        "a\0b.img",
        "a\nb.img",
        "a\u0085.img",
        "a\u2028.img",
        "\ud800.img"
      })
  void refusesWhatIsNoPlainName(String sent) {
    var failure = assertThrows(AgentException.class, () -> ImageName.parse(sent));
    assertEquals(ErrorCode.INVALID_FILENAME, failure.code());
  }

  @Test
  void countsBytesOfUtf8() {
    String longest = "é".repeat(125) + "a.img";
    assertEquals(longest, ImageName.parse(longest).value());
    assertThrows(AgentException.class, () -> ImageName.parse("a" + longest));
  }

  @Test
  void tellsMastersDisksAndIsosApart() {
    assertTrue(ImageName.parse("_tpl_debian_12.img").isMaster());
    assertTrue(ImageName.parse("Worker.IMG").isDisk());
    assertTrue(ImageName.parse("Win11.Iso").isIso());
    assertEquals("worker.img", ImageName.parse("Worker.IMG").folded());
  }
}
