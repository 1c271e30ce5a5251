package io.incudal.agent.testing;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/**
 * A file system of its own for a test: made in an image file, mounted, and taken away when closed.
 * Needs root, {@code mount}, and the file system's own tools; fails when one of them is missing.
 *
 * <p>What a killed run left mounted is taken away by the next one.
 */
public final class LoopFs implements AutoCloseable {
  private static final String PREFIX = "incudal-loopfs-";

  /** The kinds, each with the smallest size that its tool takes. */
  public enum Kind {
    BTRFS("mkfs.btrfs", "-q"),
    XFS("mkfs.xfs", "-q"),
    XFS_WITHOUT_REFLINK("mkfs.xfs", "-q", "-m", "reflink=0"),
    EXT4("mkfs.ext4", "-q", "-F"),
    TMPFS();

    private final List<String> tool;

    Kind(String... tool) {
      this.tool = List.of(tool);
    }
  }

  private final Path home;
  private final Path point;
  private final Thread hook = new Thread(this::dismantle);

  private LoopFs(Path home) {
    this.home = home;
    this.point = home.resolve("mnt");
  }

  /**
   * Makes and mounts a file system.
   *
   * @param mebibytes its size; at least 300 for xfs and 110 for btrfs
   */
  public static LoopFs mount(Kind kind, int mebibytes) throws IOException {
    sweep();
    var fs = new LoopFs(Files.createTempDirectory(PREFIX + ProcessHandle.current().pid() + "-"));
    Runtime.getRuntime().addShutdownHook(fs.hook);
    try {
      fs.build(kind, mebibytes);
      return fs;
    } catch (IOException | RuntimeException failed) {
      fs.close();
      throw failed;
    }
  }

  /** The mounted directory. */
  public Path directory() {
    return point;
  }

  public void remountReadOnly() throws IOException {
    run("mount", "-o", "remount,ro", point.toString());
  }

  @Override
  public void close() {
    Runtime.getRuntime().removeShutdownHook(hook);
    dismantle();
  }

  /** Runs a tool; fails with its output when it does not succeed. */
  public static String run(String... command) throws IOException {
    Process process;
    try {
      process = new ProcessBuilder(command).redirectErrorStream(true).start();
    } catch (IOException missing) {
      throw new IOException(
          "cannot run " + command[0] + ": the tests need root, btrfs-progs, xfsprogs, e2fsprogs",
          missing);
    }
    String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    try {
      if (!process.waitFor(60, TimeUnit.SECONDS)) {
        process.destroyForcibly();
        throw new IOException(Arrays.toString(command) + " does not end");
      }
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
      throw new IOException("interrupted", interrupted);
    }
    if (process.exitValue() != 0) {
      throw new IOException(Arrays.toString(command) + " failed: " + output);
    }
    return output;
  }

  private void build(Kind kind, int mebibytes) throws IOException {
    Files.createDirectory(point);
    if (kind == Kind.TMPFS) {
      run("mount", "-t", "tmpfs", "-o", "size=" + mebibytes + "m", "tmpfs", point.toString());
      return;
    }
    Path image = home.resolve("fs.image");
    try (var file = new RandomAccessFile(image.toFile(), "rw")) {
      file.seek((long) mebibytes * (1 << 20) - 1);
      file.write(0);
    }
    run(Stream.concat(kind.tool.stream(), Stream.of(image.toString())).toArray(String[]::new));
    run("mount", "-o", "loop", image.toString(), point.toString());
  }

  private void dismantle() {
    dismantle(home);
  }

  private static void dismantle(Path home) {
    try {
      Path point = home.resolve("mnt");
      if (Files.exists(point) && !Files.getFileStore(point).equals(Files.getFileStore(home))) {
        // Lazily: a test that failed may have left a file open.
        run("umount", "-l", point.toString());
      }
      try (var entries = Files.walk(home)) {
        for (Path entry : entries.sorted(Comparator.reverseOrder()).toList()) {
          Files.delete(entry);
        }
      }
    } catch (IOException failed) {
      throw new UncheckedIOException(failed);
    }
  }

  private static synchronized void sweep() throws IOException {
    Path temp = Path.of(System.getProperty("java.io.tmpdir"));
    try (var entries = Files.newDirectoryStream(temp, PREFIX + "*")) {
      for (Path home : entries) {
        String pid = home.getFileName().toString().substring(PREFIX.length()).split("-")[0];
        if (ProcessHandle.of(Long.parseLong(pid)).isEmpty()) {
          dismantle(home);
        }
      }
    }
  }
}
