package io.incudal.agent.exec;

import com.github.dockerjava.api.DockerClient;
import com.github.dockerjava.api.command.InspectContainerResponse;
import com.github.dockerjava.api.exception.NotFoundException;
import com.github.dockerjava.transport.DockerHttpClient;
import io.incudal.agent.bus.AgentException;
import io.incudal.agent.bus.ErrorCode;
import java.net.URI;
import java.time.Duration;
import java.util.List;

/**
 * The iSCSI container, by its exact name or id, as a place for shells.
 *
 * <p>Every shell has an HTTP client of its own, with the API version negotiated at that moment: an
 * engine may vanish and come back as another version, and closing the client frees whatever hangs.
 * Thread-safe; blocks its callers, but never beyond their limit.
 */
final class DockerContainer implements ShellHost {
  private static final int ID_PREFIX = 12;

  private final DockerEngine engine;
  private final DockerFailures failures;
  private final String container;
  private final BoundedCalls calls;

  /**
   * Nothing is asked of the engine yet.
   *
   * @param parallel calls that may hang side by side before further ones are refused
   */
  DockerContainer(URI engine, String container, int parallel) {
    this.engine = new DockerEngine(engine);
    this.failures = new DockerFailures(engine);
    this.container = container;
    this.calls = new BoundedCalls("docker-call", parallel);
  }

  @Override
  public ShellLink open(String tag, ShellSink sink, Duration limit) {
    return calls
        .within(limit, () -> connect(tag, sink), DockerLink::close)
        .orElseThrow(() -> failures.silent(limit));
  }

  @Override
  public String name() {
    return "container \"" + container + "\"";
  }

  @Override
  public void close() {
    calls.close();
  }

  private DockerLink connect(String tag, ShellSink sink) throws InterruptedException {
    DockerHttpClient http = engine.http();
    try {
      DockerClient docker = engine.negotiate(http);
      InspectContainerResponse found = running(docker);
      var link = new DockerLink(http, sink, found.getId() + "@" + found.getState().getStartedAt());
      link.start(docker, execId(docker, found.getId(), tag));
      return link;
    } catch (AgentException told) {
      DockerEngine.discard(http);
      throw told;
    } catch (RuntimeException failure) {
      DockerEngine.discard(http);
      throw failures.translate(failure, name());
    } catch (InterruptedException late) {
      DockerEngine.discard(http);
      throw late;
    }
  }

  private static String execId(DockerClient docker, String id, String tag) {
    return docker
        .execCreateCmd(id)
        .withAttachStdin(true)
        .withAttachStdout(true)
        .withAttachStderr(true)
        .withEnv(List.of(SessionProtocol.environment(tag)))
        .withCmd(SessionProtocol.argv(tag).toArray(String[]::new))
        .exec()
        .getId();
  }

  private InspectContainerResponse running(DockerClient docker) {
    InspectContainerResponse found;
    try {
      found = docker.inspectContainerCmd(container).exec();
    } catch (NotFoundException none) {
      throw missing();
    }
    // The engine also takes the beginning of an id, which may be that of another container.
    if (!("/" + container).equals(found.getName()) && !isId(found.getId())) {
      throw missing();
    }
    InspectContainerResponse.ContainerState state = found.getState();
    if (Boolean.TRUE.equals(state.getPaused())) {
      throw unavailable("is paused; resume it with: docker unpause " + container);
    }
    if (Boolean.TRUE.equals(state.getRestarting())) {
      throw unavailable("is restarting; see why with: docker logs " + container);
    }
    if (!Boolean.TRUE.equals(state.getRunning())) {
      throw unavailable("is not running; start it with: docker start " + container);
    }
    return found;
  }

  private boolean isId(String id) {
    return container.length() >= ID_PREFIX && id.startsWith(container);
  }

  private AgentException missing() {
    return unavailable("does not exist; create it, or correct IPXE_ISCSI_CONTAINER");
  }

  private AgentException unavailable(String why) {
    return new AgentException(ErrorCode.CONTAINER_UNAVAILABLE, name() + " " + why);
  }
}
