package io.incudal.agent.lun;

import io.incudal.agent.target.ContainerDirectory;
import io.incudal.agent.target.ContainerDirectory.Seen;
import io.vertx.core.Future;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Whether the agent and the target daemon look at one and the same image directory. When they do
 * not, nothing that the agent makes can be exported, and the reason is hard to guess later.
 */
final class MountCheck {
  private static final Logger LOG = LoggerFactory.getLogger(MountCheck.class);

  private final ImagePaths paths;
  private final ContainerDirectory container;

  MountCheck(ImagePaths paths, ContainerDirectory container) {
    this.paths = paths;
    this.container = container;
  }

  /**
   * What the operator has to set right; empty when all is well or nothing is known. Never fails.
   */
  Future<Optional<String>> run() {
    return paths
        .look()
        .compose(own -> container.look().map(seen -> judge(own, seen)))
        .onSuccess(
            warning -> warning.ifPresent(text -> LOG.error("image directory problem: {}", text)));
  }

  private Optional<String> judge(Optional<String> own, Seen seen) {
    if (own.isEmpty()) {
      return Optional.of("the image directory " + paths.configured() + " does not exist");
    }
    if (seen instanceof Seen.Missing) {
      return Optional.of(
          "the image directory "
              + paths.configured()
              + " is not mounted in the iSCSI container: mount it there under the same path");
    }
    if (seen instanceof Seen.There there && !there.identity().equals(own.get())) {
      return Optional.of(
          "the iSCSI container has another directory at "
              + paths.configured()
              + " than the agent: mount the same one in both");
    }
    return Optional.empty();
  }
}
