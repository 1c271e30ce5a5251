package io.incudal.agent.image;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.incudal.agent.bus.ErrorCode;
import java.io.IOException;
import java.nio.file.FileSystemException;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class FileFailuresTest {
  @ParameterizedTest
  @CsvSource({
    "No space left on device, NO_SPACE, enlarge",
    "Disk quota exceeded, NO_SPACE, quota",
    "File too large, NO_SPACE, smaller",
    "Read-only file system, IO_ERROR, mount it for writing",
    "Permission denied, IO_ERROR, let the agent",
    "Input/output error, IO_ERROR, log"
  })
  void saysWhatToDoAboutWhatJavaReports(String text, ErrorCode code, String advice) {
    for (IOException failure :
        new IOException[] {new IOException(text), new FileSystemException("/x/y", null, text)}) {
      var told = FileFailures.translate(failure, "copying to 'a.img'");
      assertEquals(code, told.code());
      assertTrue(told.getMessage().startsWith("copying to 'a.img' failed"), told::getMessage);
      assertTrue(told.getMessage().contains(advice), told::getMessage);
      assertFalse(told.getMessage().contains("/x/y"), told::getMessage);
    }
  }

  @ParameterizedTest
  @CsvSource({
    NativeFailure.ENOSPC + ", NO_SPACE",
    NativeFailure.EDQUOT + ", NO_SPACE",
    NativeFailure.EFBIG + ", NO_SPACE",
    NativeFailure.EROFS + ", IO_ERROR",
    NativeFailure.EIO + ", IO_ERROR"
  })
  void knowsTheKernelsNumbers(int errno, ErrorCode code) {
    assertEquals(code, FileFailures.translate(new NativeFailure("x", errno), "making").code());
  }

  @Test
  void showsNoInternalWords() {
    var told = FileFailures.translate(new IOException((String) null), "making 'a.img'");
    assertEquals(
        "making 'a.img' failed: the agent's and the kernel's log say why", told.getMessage());
  }

  @Test
  void knowsTheLanguageOfTheProcess() {
    NativeFiles chinese =
        new NativeFiles() {
          @Override
          public String describe(int errno) {
            return errno == NativeFailure.ENOSPC ? "设备上没有空间" : "其他";
          }
        };
    assertEquals(Optional.of(NativeFailure.ENOSPC), FileFailures.errno("设备上没有空间", chinese));
    assertEquals(
        Optional.of(NativeFailure.EROFS),
        FileFailures.errno("Read-only file system", NativeFiles.NONE));
    assertFalse(LinuxFiles.get().describe(NativeFailure.ENOSPC).isEmpty());
  }
}
