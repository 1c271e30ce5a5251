package io.incudal.agent.image;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/** The mounts of this process, in the order in which they were made. */
record MountTable(List<Mount> mounts) {
  private static final Path SOURCE = Path.of("/proc/self/mounts");

  MountTable {
    mounts = List.copyOf(mounts);
  }

  /** One mount: where it is seen, and of which type it is. */
  record Mount(String point, String type) {
    private boolean holds(String path) {
      return point.equals("/") || path.equals(point) || path.startsWith(point + "/");
    }
  }

  /** Reads the kernel's table. Blocking, but never for long. */
  static MountTable read() throws IOException {
    return parse(Files.readAllBytes(SOURCE));
  }

  /** Reads lines of {@code device point type options …}; what is no such line is passed over. */
  static MountTable parse(byte[] table) {
    // One char a byte: points hold bytes of any encoding, and escaped ones.
    return new MountTable(
        new String(table, StandardCharsets.ISO_8859_1)
            .lines()
            .map(line -> line.split(" "))
            .filter(fields -> fields.length >= 3)
            .map(fields -> new Mount(unescape(fields[1]), unescape(fields[2])))
            .toList());
  }

  /**
   * The mount that a path lies on: the one with the longest mount point, and of equal ones the
   * last, which hides the others.
   *
   * @param path absolute, without symbolic links
   */
  Optional<Mount> holding(Path path) {
    Mount best = null;
    for (Mount mount : mounts) {
      boolean longer = best == null || mount.point().length() >= best.point().length();
      if (longer && mount.holds(path.toString())) {
        best = mount;
      }
    }
    return Optional.ofNullable(best);
  }

  private static String unescape(String field) {
    var bytes = new ByteArrayOutputStream(field.length());
    for (int i = 0; i < field.length(); i++) {
      if (isEscape(field, i)) {
        bytes.write(Integer.parseInt(field.substring(i + 1, i + 4), 8));
        i += 3;
      } else {
        bytes.write(field.charAt(i));
      }
    }
    return bytes.toString(StandardCharsets.UTF_8);
  }

  private static boolean isEscape(String field, int at) {
    return field.charAt(at) == '\\'
        && at + 3 < field.length()
        && field.substring(at + 1, at + 4).chars().allMatch(c -> c >= '0' && c <= '7');
  }
}
