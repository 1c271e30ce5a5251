package io.incudal.agent.image;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;

/** Master images for tests. */
final class Masters {
  static final int PIECE = 256 << 10;

  private Masters() {}

  /** A file of this length with a piece of random data at each of these offsets, holes between. */
  static ImageFile sparse(Path directory, String name, long length, long... offsets)
      throws IOException {
    Path path = directory.resolve(name);
    var random = new Random(length);
    var piece = new byte[PIECE];
    try (var file = OpenFile.create(LinuxFiles.get(), path)) {
      for (long offset : offsets) {
        random.nextBytes(piece);
        int size = (int) Math.min(PIECE, length - offset);
        file.channel().write(ByteBuffer.wrap(piece, 0, size), offset);
      }
      file.extendTo(length);
    }
    return image(path);
  }

  static ImageFile image(Path path) throws IOException {
    var name = new ImageName(path.getFileName().toString());
    return new ImageFile(name, path, Files.size(path), List.of());
  }
}
