package io.incudal.agent.exec;

import com.github.dockerjava.api.exception.DockerException;
import io.incudal.agent.bus.AgentException;
import io.incudal.agent.bus.ErrorCode;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Locale;
import java.util.OptionalInt;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** What the failures of a Docker engine mean, and what an operator can do about them. */
final class DockerFailures {
  private static final int NOT_FOUND = 404;
  private static final int CONFLICT = 409;
  private static final Pattern NOT_SWITCHED = Pattern.compile("Expected 101 .*HTTP/1.1 (\\d{3})");

  private final URI engine;

  DockerFailures(URI engine) {
    this.engine = engine;
  }

  AgentException silent(Duration limit) {
    return unavailable("does not answer within " + limit.toMillis() + " ms; is it hung?", null);
  }

  /** Of a call that concerns a container. */
  AgentException translate(RuntimeException failure, String container) {
    OptionalInt status = status(failure);
    if (status.isPresent()) {
      return refusal(status.getAsInt(), container, failure);
    }
    IOException cause = ioException(failure);
    return cause == null
        ? unavailable("gives an answer that cannot be understood", failure)
        : unavailable("cannot be reached: " + reason(cause), failure);
  }

  private AgentException refusal(int status, String container, RuntimeException failure) {
    if (status == NOT_FOUND || status == CONFLICT) {
      return new AgentException(
          ErrorCode.CONTAINER_UNAVAILABLE,
          container + " went away or stopped just now; look at its state with: docker ps -a",
          failure);
    }
    return unavailable(
        "refuses to start a shell in " + container + " (HTTP " + status + "); its log says why",
        failure);
  }

  /** Of an answer; that to a start of an exec is told only in the text of an exception. */
  private static OptionalInt status(RuntimeException failure) {
    if (failure instanceof DockerException answer) {
      return OptionalInt.of(answer.getHttpStatus());
    }
    IOException cause = ioException(failure);
    Matcher refused = NOT_SWITCHED.matcher(cause == null ? "" : String.valueOf(cause.getMessage()));
    return refused.find()
        ? OptionalInt.of(Integer.parseInt(refused.group(1)))
        : OptionalInt.empty();
  }

  private String reason(IOException cause) {
    String said = String.valueOf(cause.getMessage());
    if (!"unix".equals(engine.getScheme())) {
      return said;
    }
    Path socket = Path.of(engine.getPath());
    if (Files.isDirectory(socket)) {
      return "its socket's path is a directory, which Docker makes when it is to mount a socket"
          + " that is not there; remove it, and mount the directory of the socket instead";
    }
    String text = said.toLowerCase(Locale.ROOT);
    if (text.contains("permission denied")) {
      return "permission denied; let the agent's user into the group of the socket";
    }
    if (text.contains("connection refused")) {
      return "nobody listens on its socket; start Docker. A socket that was mounted as a file goes"
          + " stale when Docker restarts: mount its directory instead";
    }
    if (Files.notExists(socket)) {
      return "there is no such socket; start Docker, or mount the directory of its socket";
    }
    return said;
  }

  private static IOException ioException(Throwable failure) {
    for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
      if (cause instanceof IOException found) {
        // Unparsable JSON is an IOException as well.
        return cause instanceof com.fasterxml.jackson.core.JacksonException ? null : found;
      }
    }
    return null;
  }

  private AgentException unavailable(String what, Throwable cause) {
    return new AgentException(
        ErrorCode.DOCKER_UNAVAILABLE, "the Docker engine at " + engine + " " + what, cause);
  }
}
