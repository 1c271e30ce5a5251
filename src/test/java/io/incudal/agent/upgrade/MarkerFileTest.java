package io.incudal.agent.upgrade;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Instant;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class MarkerFileTest {
  private static final Instant NOW = Instant.parse("2026-11-30T22:00:00Z");

  @TempDir Path directory;
  private MarkerFile marker;
  private Path file;

  @BeforeEach
  void marker() {
    marker = new MarkerFile(directory, new DiskSteps());
    file = directory.resolve("upgrade.json");
  }

  @Test
  void readsWhatItWrote() throws IOException {
    var record =
        UpgradeRecord.EMPTY
            .with(
                new UpgradeRecord.Attempt(
                    UpgradePhase.ROLLED_BACK, "v1.0.1", "v1.0.0", "ab", Optional.of("died"), NOW))
            .ban("ab", NOW)
            .rest("cd", NOW);
    marker.write(record);
    assertEquals(record, marker.read());
    assertEquals("rw-------", PosixFilePermissions.toString(Files.getPosixFilePermissions(file)));
  }

  @Test
  void findsNothingWhereNothingWasWritten() throws IOException {
    assertEquals(UpgradeRecord.EMPTY, marker.read());
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "{",
        "null",
        "[]",
        "{\"phase\":\"flying\",\"rejected\":[]}",
        "{\"phase\":\"watching\",\"rejected\":[]}",
        "{\"rejected\":7}",
        "{}",
        "\u0000\u0000\u0000\u0000"
      })
  void putsAsideWhatItCannotUnderstandAndGoesOn(String text) throws IOException {
    Files.writeString(file, text);
    assertEquals(UpgradeRecord.EMPTY, marker.read());
    assertFalse(Files.exists(file));
    assertTrue(Files.exists(directory.resolve("upgrade.json.corrupt")), "kept for a person to see");
    marker.write(UpgradeRecord.EMPTY);
    assertEquals(UpgradeRecord.EMPTY, marker.read());
  }

  @Test
  void putsAsideBytesThatAreNoText() throws IOException {
    Files.write(file, new byte[] {(byte) 0xff, (byte) 0xfe, 0, 1});
    assertEquals(UpgradeRecord.EMPTY, marker.read());
  }

  /** The old text or the new one, whenever the power goes. */
  @Test
  void staysWholeWhenTheWriteIsCutShort() throws IOException {
    var old = UpgradeRecord.EMPTY.rest("ab", NOW);
    marker.write(old);
    for (int step = 1; step <= 2; step++) {
      var cut = new MarkerFile(directory, new CrashingSteps(step));
      assertEquals(
          CrashingSteps.Crash.class,
          CrashingSteps.catchCrash(() -> cut.write(UpgradeRecord.EMPTY)));
      assertEquals(old, marker.read());
    }
    new MarkerFile(directory, new CrashingSteps(3)).write(UpgradeRecord.EMPTY);
    assertEquals(UpgradeRecord.EMPTY, marker.read());
  }

  @Test
  void keepsNoMoreRejectionsThanItNeeds() {
    var record = UpgradeRecord.EMPTY;
    for (int i = 0; i < 200; i++) {
      record = record.rest("package " + i, NOW);
    }
    assertEquals(50, record.rejections().size());
    assertTrue(record.rejects("package 199", NOW));
    assertEquals(1, record.rest("x", NOW.plusSeconds(100_000)).rejections().size());
  }
}
