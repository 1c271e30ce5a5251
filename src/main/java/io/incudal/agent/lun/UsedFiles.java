package io.incudal.agent.lun;

import io.incudal.agent.image.ImageName;
import io.incudal.agent.target.Iqn;
import io.incudal.agent.target.Lun;
import io.incudal.agent.target.Target;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Which targets use which files of the image directory, as one listing shows it. Pure; touches no
 * disk: files are told by their path.
 */
final class UsedFiles {
  private final Set<Path> directories;
  private final Map<String, Map<String, Target>> users = new HashMap<>();
  private final Map<String, Target> byName = new HashMap<>();

  /**
   * @param directories all paths under which the image directory is known
   */
  UsedFiles(Set<Path> directories, List<Target> targets) {
    this.directories = directories;
    for (Target target : targets) {
      byName.putIfAbsent(Iqn.lowerCaseAscii(target.iqn()), target);
      for (Lun lun : target.luns()) {
        lun.backing().flatMap(this::nameIn).ifPresent(name -> use(name, target));
      }
    }
  }

  private void use(ImageName name, Target target) {
    users.computeIfAbsent(name.value(), none -> new LinkedHashMap<>()).put(target.iqn(), target);
  }

  /** The target of this name, however its maker spelled it. */
  Optional<Target> target(Iqn iqn) {
    return Optional.ofNullable(byName.get(iqn.value()));
  }

  /** Names of the targets that use a file, as the daemon spells them. */
  List<String> usersOf(ImageName name) {
    return List.copyOf(users.getOrDefault(name.value(), Map.of()).keySet());
  }

  boolean isUsedBy(ImageName name, Iqn iqn) {
    return usersOf(name).stream().anyMatch(user -> Iqn.lowerCaseAscii(user).equals(iqn.value()));
  }

  /** The file of the image directory that a path names; empty when it lies elsewhere. */
  Optional<ImageName> nameIn(String path) {
    try {
      Path file = Path.of(path).normalize();
      return file.getParent() != null && directories.contains(file.getParent())
          ? Optional.of(new ImageName(file.getFileName().toString()))
          : Optional.empty();
    } catch (InvalidPathException elsewhere) {
      return Optional.empty();
    }
  }
}
