package io.incudal.agent.target.lio;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.incudal.agent.target.Lun;
import io.incudal.agent.target.Target;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class LioListingTest {
  @Test
  void readsWhatARealKernelHas() throws IOException {
    LioListing listing = LioListing.parse(read("list-mixed.txt")).orElseThrow();
    assertEquals("219f5daa-0027-43f9-88ca-c7b86f977974", listing.boot());
    assertEquals(
        List.of(
            target("iqn.2020-01.org.other:two", lun(0, "/img/x:y.img"), lun(7, "/img/z.img")),
            target("iqn.2026-07.com.controller:a.b:c-d", lun(0, "/img/a.img")),
            target("iqn.2026-07.com.controller:empty"),
            target("naa.5001405b1d2a3c4d", new Lun(0, Optional.empty()))),
        listing.targets());
  }

  @Test
  void readsAKernelWithoutTargets() {
    assertEquals(
        new LioListing("boot", List.of()),
        LioListing.parse("boot\nT */\nL */tpgt_*/lun/lun_*/\n.\n").orElseThrow());
  }

  /** B35: an output that was cut anywhere is no list. */
  @ParameterizedTest
  @ValueSource(
      strings = {"", ".\n", "boot\n", "boot\nT iqn.2020-01.x:a\n", "boot\nT iqn.2020-01.x:."})
  void believesNoListWithoutItsEnd(String text) {
    assertEquals(Optional.empty(), LioListing.parse(text));
  }

  @Test
  void ignoresALunWhoseTargetCameLater() {
    String late = "L iqn.2020-01.x:late/tpgt_1/lun/lun_0/";
    assertEquals(List.of(), LioListing.parse("boot\n" + late + "\n.\n").orElseThrow().targets());
  }

  private static Target target(String iqn, Lun... luns) {
    return new Target(OptionalInt.empty(), iqn, List.of(luns));
  }

  private static Lun lun(int number, String image) {
    return new Lun(number, Optional.of(image));
  }

  private static String read(String file) throws IOException {
    try (InputStream in = LioListingTest.class.getResourceAsStream("/lio/" + file)) {
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    }
  }
}
