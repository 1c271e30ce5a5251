package io.incudal.agent.panel;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** B82: numbers as a panel in JavaScript prints them. */
class EcmaNumberTest {
  /** Lines "bits of the double in hex, what Node 20 printed": edges, powers of two, random bits. */
  @Test
  void printsWhatNodePrints() throws IOException {
    List<String> lines;
    try (var file = getClass().getResourceAsStream("/panel/ecmascript-numbers.txt")) {
      lines =
          new BufferedReader(new InputStreamReader(file, StandardCharsets.US_ASCII))
              .lines()
              .toList();
    }
    assertTrue(lines.size() > 1000);
    for (String line : lines) {
      String[] parts = line.split(" ");
      double value = Double.longBitsToDouble(Long.parseUnsignedLong(parts[0], 16));
      assertEquals(parts[1], EcmaNumber.print(value), line);
    }
  }

  @Test
  void printsWhatReadsBackAsTheSameDouble() {
    var random = new Random(82);
    for (int i = 0; i < 5_000; i++) {
      double value = Double.longBitsToDouble(random.nextLong());
      if (Double.isFinite(value)) {
        assertEquals(value, Double.parseDouble(EcmaNumber.print(value)));
      }
    }
  }

  @Test
  void neverTakesMoreDigitsThanJava() {
    var random = new Random(4511638);
    for (int i = 0; i < 5_000; i++) {
      double value = random.nextDouble() * 1000;
      assertTrue(EcmaNumber.print(value).length() <= Double.toString(value).length());
    }
  }

  @ParameterizedTest
  @ValueSource(doubles = {Double.NaN, Double.POSITIVE_INFINITY, Double.NEGATIVE_INFINITY})
  void refusesWhatIsNoNumberInJson(double value) {
    assertThrows(IllegalArgumentException.class, () -> EcmaNumber.print(value));
  }
}
