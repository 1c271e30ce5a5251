package io.incudal.agent.exec;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.RepetitionInfo;
import org.junit.jupiter.api.Test;

class SessionReplyTest {
  private static final String SECRET = "4be0643f-1d98-573b-97cd-ca98a65347dd";
  private static final int LIMIT = 1000;

  private final SessionReply reply = new SessionReply(SECRET, 17, LIMIT);

  @Test
  void isCompleteOnlyWithBothMarkers() {
    reply.stdout(bytes("out\n" + SECRET + " 17 0 0\n"));
    assertFalse(reply.complete());
    reply.stderr(bytes("err"));
    assertFalse(reply.complete());
    reply.stderr(bytes("\n" + SECRET + " 17\n"));
    assertTrue(reply.complete());
    assertEquals(new ToolResult(0, 0, "out", "err"), reply.result());
  }

  @Test
  void isNeverCompleteWhenTheStreamEndsWithoutMarkers() {
    // B35: nothing on both streams is not success.
    reply.stdout(bytes(""));
    reply.stderr(bytes(""));
    assertFalse(reply.complete());
  }

  @Test
  void keepsTheNewlinesOfATool() {
    finish("\n\n", "\n");
    assertEquals("\n\n", reply.result().stdout());
    assertEquals("\n", reply.result().stderr());
  }

  @Test
  void knowsStepAndExitCode() {
    reply.stdout(bytes("\n" + SECRET + " 17 2 107\n"));
    reply.stderr(bytes("\n" + SECRET + " 17\n"));
    assertEquals(new ToolResult(2, 107, "", ""), reply.result());
  }

  @Test
  void isNotTakenInByMarkersOfOthers() {
    String imitation =
        "\n00000000-0000-0000-0000-000000000000 17 0 0\n" + SECRET + "\n 17 0 0\n" + "17 0 0\n";
    reply.stdout(bytes(imitation));
    reply.stderr(bytes(imitation));
    assertFalse(reply.complete());
    finish("", "");
    assertEquals(imitation, reply.result().stdout());
  }

  @Test
  void isNotTakenInByAnEarlierReply() {
    reply.stdout(bytes("\n" + SECRET + " 16 0 0\n"));
    reply.stderr(bytes("\n" + SECRET + " 16\n"));
    assertFalse(reply.complete());
  }

  @Test
  void dropsWhatIsBeyondItsLimitAndSaysSo() {
    for (int i = 0; i < 100; i++) {
      reply.stdout(bytes("x".repeat(99) + "\n"));
    }
    finish("", "");
    assertTrue(reply.complete());
    assertTrue(reply.overflowed());
  }

  @RepeatedTest(50)
  void doesNotCareHowBytesArrive(RepetitionInfo repetition) {
    var random = new Random(repetition.getCurrentRepetition());
    String text = "äöü\n😀 " + SECRET.substring(0, random.nextInt(36)) + "\n" + random.nextInt();
    byte[] all = bytes(text + "\n" + SECRET + " 17 0 3\n");
    for (int from = 0; from < all.length; ) {
      int to = Math.min(all.length, from + 1 + random.nextInt(7));
      assertFalse(reply.complete());
      reply.stdout(Arrays.copyOfRange(all, from, to));
      from = to;
    }
    reply.stderr(bytes("\n" + SECRET + " 17\n"));
    assertEquals(new ToolResult(0, 3, text, ""), reply.result());
  }

  private void finish(String stdout, String stderr) {
    reply.stdout(bytes(stdout + "\n" + SECRET + " 17 0 0\n"));
    reply.stderr(bytes(stderr + "\n" + SECRET + " 17\n"));
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }
}
