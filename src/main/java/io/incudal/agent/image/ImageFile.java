package io.incudal.agent.image;

import java.nio.file.Path;
import java.util.List;

/**
 * A regular file of the image directory, as it was when it was looked at.
 *
 * @param path absolute
 * @param size in bytes
 * @param iqns recorded with the file because they differ from its name's; mostly empty
 */
public record ImageFile(ImageName name, Path path, long size, List<String> iqns) {
  private static final int BLOCK = 512;

  public ImageFile {
    iqns = List.copyOf(iqns);
  }

  /** Whether a LUN can be made of it: not empty, and whole blocks. */
  public boolean wholeBlocks() {
    return size > 0 && size % BLOCK == 0;
  }
}
