package io.incudal.agent.image;

import io.incudal.agent.bus.AgentException;
import io.incudal.agent.bus.ErrorCode;
import java.io.File;
import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Builds images under hidden names in the image directory: complete and synced, or not at all.
 * Blocking; thread-safe.
 */
final class Stager {
  private static final Logger LOG = LoggerFactory.getLogger(Stager.class);

  private final ImageDirectory directory;
  private final Supplier<NativeFiles> natives;
  private final CloneListener listener;
  private final LongSupplier clock;
  private final StagingNames names = new StagingNames();
  private final Set<String> warnedOf = ConcurrentHashMap.newKeySet();

  /**
   * @param natives asked late, since loading them takes a moment
   * @param clock in nanoseconds
   */
  Stager(
      ImageDirectory directory,
      Supplier<NativeFiles> natives,
      CloneListener listener,
      LongSupplier clock) {
    this.directory = directory;
    this.natives = natives;
    this.listener = listener;
    this.clock = clock;
  }

  /**
   * What is to be built.
   *
   * @param name under which it is to appear
   * @param iqn to be kept with it
   */
  record Order(ImageName name, Optional<String> iqn) {}

  /** Puts the content into a new, empty file. */
  private interface Filling {
    void fill(OpenFile file) throws IOException;
  }

  /** Loads the native calls, which the first clone would wait for. */
  void warmUp() {
    natives.get();
  }

  StagedImage empty(long bytes, Order order) throws IOException {
    return build(order, file -> file.extendTo(bytes));
  }

  /** Clones by sharing blocks, in a moment; empty when only a copy can do it. */
  Optional<StagedImage> reflink(ImageFile master, Order order) throws IOException {
    long started = clock.getAsLong();
    try {
      var staged = build(order, file -> reflink(master, file));
      tell(CloneMode.REFLINK, staged, started);
      return Optional.of(staged);
    } catch (ReflinkRefused refused) {
      warnOnce(refused.getMessage());
      return Optional.empty();
    }
  }

  /** Clones by copying, for as long as it takes. */
  StagedImage copy(ImageFile master, Order order, BooleanSupplier cancelled) throws IOException {
    long started = clock.getAsLong();
    var progress = new CopyProgress(order.name(), cancelled, clock);
    var staged = build(order, file -> copy(master, file, progress));
    tell(CloneMode.COPY, staged, started);
    return staged;
  }

  /** Gives a built image its name; fails with {@code BACKING_EXISTS} when that is taken. */
  ImageFile publish(StagedImage staged) throws IOException {
    ImageName name = staged.name();
    try {
      directory.publish(natives.get(), staged.temporary(), directory.resolve(name));
    } catch (FileAlreadyExistsException taken) {
      throw new AgentException(
          ErrorCode.BACKING_EXISTS,
          "the file '" + name + "' exists; delete it first or choose another filename",
          taken);
    }
    return directory.find(name).orElseThrow(() -> new IOException("gone at once: " + name));
  }

  /** Removes what other processes, now gone, left unfinished; returns how many files. */
  int sweep() throws IOException {
    int swept = 0;
    for (Path entry : directory.entries()) {
      if (names.isLeftover(entry.getFileName().toString())
          && Files.isRegularFile(entry, LinkOption.NOFOLLOW_LINKS)) {
        Files.deleteIfExists(entry);
        swept++;
      }
    }
    return swept;
  }

  private StagedImage build(Order order, Filling filling) throws IOException {
    Path temporary = directory.path().resolve(names.next());
    try (OpenFile file = OpenFile.create(natives.get(), temporary)) {
      filling.fill(file);
      order.iqn().ifPresent(iqn -> RecordedIqns.write(temporary, List.of(iqn)));
      file.channel().force(true);
      return new StagedImage(temporary, order.name());
    } catch (Throwable failed) {
      // An error too: a copy may find no memory for its buffer.
      discard(temporary, failed);
      throw failed;
    }
  }

  private static void discard(Path temporary, Throwable why) {
    try {
      Files.deleteIfExists(temporary);
    } catch (IOException left) {
      why.addSuppressed(left);
    }
  }

  private void reflink(ImageFile master, OpenFile target) throws IOException {
    try (OpenFile source = open(master)) {
      long length = source.size();
      // What is not yet written may be cloned as zeros (OpenZFS 2.2.0, 2.2.1), or not at all.
      source.channel().force(true);
      target.natives().reflink(source.descriptor(), target.descriptor());
      if (target.size() != length) {
        throw new ReflinkRefused("the clone has " + target.size() + " of " + length + " bytes");
      }
    } catch (NativeFailure failed) {
      if (failed.leavesAnotherWay()) {
        throw new ReflinkRefused(failed.getMessage());
      }
      throw failed;
    }
  }

  private void copy(ImageFile master, OpenFile target, CopyProgress progress) throws IOException {
    try (OpenFile source = open(master)) {
      var copy = new SparseCopy(source, target, progress);
      checkSpace(master, copy.bytesNeeded());
      copy.run();
    }
  }

  /** A full disk would also stop the guests whose disks have holes: better not to begin. */
  private void checkSpace(ImageFile master, long needed) {
    File space = directory.path().toFile();
    // A file system without a limit says that it has no space at all.
    if (space.getTotalSpace() > 0 && needed > space.getUsableSpace()) {
      throw new AgentException(
          ErrorCode.NO_SPACE,
          "a copy of '%s' needs %d bytes, more than the image directory has left; remove disks or"
                  .formatted(master.name(), needed)
              + " enlarge it");
    }
  }

  private OpenFile open(ImageFile master) throws IOException {
    ImageFile found = directory.find(master.name()).orElseThrow(() -> missing(master, null));
    if (!found.wholeBlocks()) {
      throw new AgentException(
          ErrorCode.INVALID_MASTER,
          "the master image '"
              + master.name()
              + "' is empty or no multiple of 512 bytes; make it anew");
    }
    try {
      return OpenFile.read(natives.get(), found.path());
    } catch (NoSuchFileException gone) {
      throw missing(master, gone);
    }
  }

  private static AgentException missing(ImageFile master, IOException gone) {
    return new AgentException(
        ErrorCode.MASTER_NOT_FOUND, "there is no master image '" + master.name() + "'", gone);
  }

  private void tell(CloneMode mode, StagedImage staged, long started) throws IOException {
    var took = Duration.ofNanos(clock.getAsLong() - started);
    long bytes = Files.size(staged.temporary());
    LOG.debug(
        "image cloned file={} mode={} bytes={} ms={}", staged.name(), mode, bytes, took.toMillis());
    listener.cloned(mode, bytes, took);
  }

  private void warnOnce(String reason) {
    String type = ImageFileSystem.of(directory.path()).type();
    if (warnedOf.add(type)) {
      LOG.warn(
          "clones are full copies here, which take time and space directory={} fs_type={}"
              + " reason={}",
          directory.path(),
          type,
          reason);
    }
  }

  /** A copy may still do it. */
  private static final class ReflinkRefused extends IOException {
    private static final long serialVersionUID = 1L;

    ReflinkRefused(String reason) {
      super(reason);
    }
  }
}
