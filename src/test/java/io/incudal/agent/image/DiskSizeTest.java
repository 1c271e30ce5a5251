package io.incudal.agent.image;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.incudal.agent.bus.AgentException;
import io.incudal.agent.bus.ErrorCode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class DiskSizeTest {
  private static final long MAX = 16L << 40;

  @ParameterizedTest
  @CsvSource({
    "20G, 21474836480",
    "20g, 21474836480",
    "20GiB, 21474836480",
    "20gb, 21474836480",
    "1.5G, 1610612736",
    "0.1K, 512",
    "1.0001K, 1536",
    "512, 512",
    "1K, 1024",
    "16T, 17592186044416"
  })
  void readsBinaryUnits(String sent, long bytes) {
    assertEquals(bytes, DiskSize.parse(sent, MAX).bytes());
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "0",
        "-1G",
        "5",
        " 5G",
        "5G ",
        "99999999T",
        "9223372036854775807K",
        "16.1T",
        "1.5",
        "512B",
        "G",
        "1,5G",
        "1e3G",
        "0x10",
        "٢G",
        "513",
        "0.0G",
        "1..5G",
        "1iB"
      })
  void refusesWhatIsNoSize(String sent) {
    var failure = assertThrows(AgentException.class, () -> DiskSize.parse(sent, MAX));
    assertEquals(ErrorCode.INVALID_SIZE, failure.code());
  }
}
