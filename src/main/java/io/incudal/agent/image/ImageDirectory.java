package io.incudal.agent.image;

import io.incudal.agent.bus.AgentException;
import io.incudal.agent.bus.ErrorCode;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;

/**
 * The entries of the image directory: looking, moving into place, removing. Never follows a
 * symbolic link of the directory, never opens what is no regular file. Blocking; thread-safe, as
 * the kernel is.
 */
final class ImageDirectory {
  private final Path path;

  ImageDirectory(Path path) {
    this.path = path.toAbsolutePath();
  }

  /** Where a file of this name is or would be. */
  Path resolve(ImageName name) {
    try {
      return path.resolve(name.value());
    } catch (InvalidPathException unencodable) {
      throw new AgentException(
          ErrorCode.INVALID_FILENAME,
          "the file name cannot be written in the agent's locale: start it with LC_ALL=C.UTF-8",
          unencodable);
    }
  }

  Path path() {
    return path;
  }

  Optional<ImageFile> find(ImageName name) throws IOException {
    Path file = resolve(name);
    Optional<ImageFile> found = regular(file).map(attributes -> image(file, attributes));
    if (found.isEmpty() && !Files.isDirectory(path)) {
      throw new NoSuchFileException(path.toString());
    }
    return found;
  }

  Optional<ImageName> findSameFolded(ImageName name) throws IOException {
    if (Files.exists(resolve(name), LinkOption.NOFOLLOW_LINKS)) {
      return Optional.of(name);
    }
    String folded = name.folded();
    return names().stream()
        .map(ImageName::new)
        .filter(other -> other.folded().equals(folded))
        .findFirst();
  }

  /** What a caller wants to know of a file. */
  interface View<T> {
    T of(Path file, BasicFileAttributes attributes);
  }

  /** The regular, visible files whose name is wanted, in name order. */
  <T> List<T> list(Predicate<ImageName> wanted, View<T> view) throws IOException {
    List<Path> candidates =
        entries().stream()
            .filter(entry -> isVisible(entry) && wanted.test(nameOf(entry)))
            .sorted(Comparator.comparing(entry -> nameOf(entry).value()))
            .toList();
    List<T> found = new ArrayList<>();
    for (Path file : candidates) {
      regular(file).ifPresent(attributes -> found.add(view.of(file, attributes)));
    }
    return found;
  }

  /** The regular, visible files whose name is wanted, in name order. */
  List<ImageFile> images(Predicate<ImageName> wanted) throws IOException {
    return list(wanted, ImageDirectory::image);
  }

  /** All entries, hidden ones too, in no order. */
  List<Path> entries() throws IOException {
    List<Path> all = new ArrayList<>();
    try (DirectoryStream<Path> entries = Files.newDirectoryStream(path)) {
      entries.forEach(all::add);
    } catch (DirectoryIteratorException failed) {
      throw failed.getCause();
    }
    return all;
  }

  /**
   * Moves a file to its name and syncs the directory. Never replaces anything.
   *
   * @throws FileAlreadyExistsException when the name is taken
   */
  void publish(NativeFiles natives, Path temporary, Path destination) throws IOException {
    try {
      natives.renameNoReplace(temporary, destination);
    } catch (NativeFailure failed) {
      if (failed.errno() == NativeFailure.EEXIST) {
        throw new FileAlreadyExistsException(destination.toString());
      }
      if (!failed.leavesAnotherWay()) {
        throw failed;
      }
      Files.createLink(destination, temporary);
      Files.delete(temporary);
    }
    try {
      sync();
    } catch (IOException failed) {
      // Whoever asked is told that nothing was made.
      Files.deleteIfExists(destination);
      throw failed;
    }
  }

  void remove(ImageName name) throws IOException {
    Path file = resolve(name);
    if (regular(file).isPresent()) {
      Files.deleteIfExists(file);
      sync();
    } else if (Files.exists(file, LinkOption.NOFOLLOW_LINKS)) {
      throw new AgentException(
          ErrorCode.IO_ERROR, "'" + name + "' is no regular file; remove it by hand");
    }
  }

  /** Changes what is recorded with a file, and syncs that; no error where there is none. */
  void changeIqns(ImageName name, UnaryOperator<List<String>> change) throws IOException {
    Optional<ImageFile> file = find(name);
    if (file.isEmpty()) {
      return;
    }
    List<String> before = file.get().iqns();
    List<String> after = change.apply(before);
    if (!after.equals(before) && RecordedIqns.write(file.get().path(), after)) {
      try (FileChannel image = FileChannel.open(file.get().path(), StandardOpenOption.READ)) {
        image.force(true);
      }
    }
  }

  /**
   * Makes names that were given or taken away last through a power cut. Not shared among those who
   * wait: the file systems do that themselves, and better.
   */
  void sync() throws IOException {
    try (FileChannel directory = FileChannel.open(path, StandardOpenOption.READ)) {
      directory.force(true);
    }
  }

  /** As {@link #entries}, in half the time, which counts in a directory of thousands. */
  private List<String> names() throws IOException {
    String[] names = path.toFile().list();
    // It does not say why it failed.
    return names == null
        ? entries().stream().map(entry -> nameOf(entry).value()).toList()
        : List.of(names);
  }

  /** Empty for what is no regular file, and for what is not there. */
  private static Optional<BasicFileAttributes> regular(Path file) throws IOException {
    try {
      return Optional.of(
              Files.readAttributes(file, BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS))
          .filter(BasicFileAttributes::isRegularFile);
    } catch (NoSuchFileException gone) {
      return Optional.empty();
    }
  }

  private static ImageFile image(Path file, BasicFileAttributes attributes) {
    return new ImageFile(nameOf(file), file, attributes.size(), RecordedIqns.read(file));
  }

  private static boolean isVisible(Path entry) {
    return !nameOf(entry).value().startsWith(".");
  }

  // Not parsed: a scan has to name the files that it cannot export.
  private static ImageName nameOf(Path file) {
    return new ImageName(file.getFileName().toString());
  }
}
