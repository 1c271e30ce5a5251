package io.incudal.agent.exec;

import com.github.dockerjava.api.exception.ConflictException;
import com.github.dockerjava.api.exception.DockerException;
import com.github.dockerjava.api.exception.NotFoundException;
import io.incudal.agent.bus.AgentException;
import io.incudal.agent.bus.ErrorCode;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Locale;

/** What the failures of a Docker engine mean, and what an operator can do about them. */
final class DockerFailures {
  private final URI engine;

  DockerFailures(URI engine) {
    this.engine = engine;
  }

  AgentException silent(Duration limit) {
    return unavailable("does not answer within " + limit.toMillis() + " ms; is it hung?", null);
  }

  /** Of a call that concerns a container. */
  AgentException translate(RuntimeException failure, String container) {
    if (failure instanceof NotFoundException || failure instanceof ConflictException) {
      return new AgentException(
          ErrorCode.CONTAINER_UNAVAILABLE,
          container + " went away or stopped just now; look at its state with: docker ps -a",
          failure);
    }
    if (failure instanceof DockerException answer) {
      return unavailable(
          "refuses to start a shell in "
              + container
              + " (HTTP "
              + answer.getHttpStatus()
              + "); its log says why",
          failure);
    }
    IOException cause = ioException(failure);
    return cause == null
        ? unavailable("gives an answer that cannot be understood", failure)
        : unavailable("cannot be reached: " + reason(cause), failure);
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
