package io.incudal.agent.exec;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.github.dockerjava.api.exception.DockerException;
import io.incudal.agent.bus.ErrorCode;
import java.net.SocketException;
import java.net.URI;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** What cannot be provoked as root, or only by waiting. */
class DockerFailuresTest {
  private final DockerFailures failures = new DockerFailures(URI.create("unix:///none.sock"));

  @Test
  void saysWhoMayUseTheSocket() {
    said(new RuntimeException(new SocketException("Permission denied")), "group of the socket");
  }

  @Test
  void repeatsWhatTheNetworkSays() {
    var remote = new DockerFailures(URI.create("tcp://127.0.0.1:2375"));
    var failure =
        remote.translate(new RuntimeException(new SocketException("No route")), "container");
    assertEquals(ErrorCode.DOCKER_UNAVAILABLE, failure.code());
    assertTrue(failure.getMessage().contains("tcp://127.0.0.1:2375"), failure.getMessage());
    assertTrue(failure.getMessage().contains("No route"), failure.getMessage());
  }

  @Test
  void keepsTheEnginesOwnWordsFromTheCaller() {
    var failure = failures.translate(new DockerException("secret detail", 503), "container");
    assertEquals(ErrorCode.DOCKER_UNAVAILABLE, failure.code());
    assertTrue(failure.getMessage().contains("HTTP 503"), failure.getMessage());
    assertEquals(-1, failure.getMessage().indexOf("secret"));
  }

  @Test
  void saysForHowLongTheEngineWasSilent() {
    var failure = failures.silent(Duration.ofSeconds(10));
    assertEquals(ErrorCode.DOCKER_UNAVAILABLE, failure.code());
    assertTrue(failure.getMessage().contains("10000 ms"), failure.getMessage());
  }

  private void said(RuntimeException failure, String part) {
    var told = failures.translate(failure, "container \"iscsi\"");
    assertEquals(ErrorCode.DOCKER_UNAVAILABLE, told.code());
    assertTrue(told.getMessage().contains(part), told.getMessage());
  }
}
