package io.incudal.agent.lun;

import io.incudal.agent.bus.AgentException;
import io.incudal.agent.bus.ErrorCode;
import io.incudal.agent.image.ImageFile;
import io.incudal.agent.image.ImageName;
import io.incudal.agent.target.Iqn;
import io.incudal.agent.target.Lun;
import io.incudal.agent.target.Target;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * What a deletion is about: a target, or else the file that one left.
 *
 * @param target as it was listed; empty when there is none of this name
 * @param leftOver the file that would be exported under this name, when there is no target
 * @param used who uses which file
 */
record Subject(Iqn iqn, Optional<Target> target, Optional<ImageFile> leftOver, UsedFiles used) {

  /** The files of the image directory that it is about. */
  List<ImageName> files() {
    return target
        .map(listed -> paths(listed).stream().map(used::nameIn).flatMap(Optional::stream).toList())
        .orElseGet(() -> leftOver.map(ImageFile::name).stream().toList());
  }

  /** The same, folded: the turns that have to be held. */
  List<String> folded() {
    return files().stream().map(ImageName::folded).toList();
  }

  /**
   * @param force whether a master image may be removed
   * @throws AgentException {@code BACKING_PROTECTED} or {@code BACKING_IN_USE}
   */
  void refuseProtected(boolean force) {
    for (String path : target.map(Subject::paths).orElse(List.of())) {
      if (used.nameIn(path).isEmpty()) {
        throw kept(path, "it lies outside the image directory");
      }
    }
    for (ImageName file : files()) {
      if (file.isMaster() && !force) {
        throw kept(file.value(), "it is a master image; remove it with force=true");
      }
      List<String> others =
          used.usersOf(file).stream()
              .filter(user -> !Iqn.lowerCaseAscii(user).equals(iqn.value()))
              .toList();
      if (!others.isEmpty()) {
        throw new AgentException(
            ErrorCode.BACKING_IN_USE,
            "'" + file + "' is used by other targets too: " + String.join(", ", others));
      }
    }
  }

  private static AgentException kept(String file, String why) {
    return new AgentException(ErrorCode.BACKING_PROTECTED, "'" + file + "' is not removed: " + why);
  }

  private static List<String> paths(Target target) {
    List<String> paths = new ArrayList<>();
    target.luns().stream().map(Lun::backing).forEach(path -> path.ifPresent(paths::add));
    return paths;
  }
}
