package io.incudal.agent.image;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.UserDefinedFileAttributeView;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The IQNs that are kept with an image as its extended attribute {@code user.incudal.iqn}, one a
 * line. A convenience for the next scan: where it cannot be kept or read, there is none. Blocking.
 */
final class RecordedIqns {
  private static final Logger LOG = LoggerFactory.getLogger(RecordedIqns.class);
  // Java adds the namespace "user." by itself.
  private static final String ATTRIBUTE = "incudal.iqn";

  private RecordedIqns() {}

  static List<String> read(Path image) {
    var view = view(image);
    try {
      // Asking for an attribute that is missing would cost an exception for nearly every file.
      if (!view.list().contains(ATTRIBUTE)) {
        return List.of();
      }
      var value = ByteBuffer.allocate(view.size(ATTRIBUTE));
      view.read(ATTRIBUTE, value);
      return new String(value.array(), StandardCharsets.UTF_8)
          .lines()
          .map(String::strip)
          .filter(line -> !line.isEmpty())
          .distinct()
          .toList();
    } catch (IOException unsupported) {
      LOG.debug("no extended attributes file={} reason={}", image, unsupported.getMessage());
      return List.of();
    }
  }

  /**
   * Replaces all, and leaves the sync to the caller; an empty list takes the attribute away.
   *
   * @return whether that was done
   */
  static boolean write(Path image, List<String> iqns) {
    var view = view(image);
    try {
      if (iqns.isEmpty()) {
        view.delete(ATTRIBUTE);
      } else {
        view.write(ATTRIBUTE, StandardCharsets.UTF_8.encode(String.join("\n", iqns)));
      }
      return true;
    } catch (IOException unsupported) {
      LOG.info(
          "iqn not kept with the image: its next scan names the target after the file file={}"
              + " reason={}",
          image,
          unsupported.getMessage());
      return false;
    }
  }

  private static UserDefinedFileAttributeView view(Path image) {
    return Files.getFileAttributeView(
        image, UserDefinedFileAttributeView.class, LinkOption.NOFOLLOW_LINKS);
  }
}
