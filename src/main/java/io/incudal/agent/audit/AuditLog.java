package io.incudal.agent.audit;

import java.io.ByteArrayOutputStream;
import java.io.File;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.time.Clock;
import java.time.OffsetDateTime;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The append-only file. A batch is written, synced, its last id kept in the companion, and only
 * then promised; so neither a crash nor a log that was moved away lets an id be used twice, and the
 * companion is never ahead of the log.
 *
 * <p>Used by one thread at a time, which may block; only {@link #state} is for all threads. Never
 * reads more of the log than its end.
 */
final class AuditLog implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(AuditLog.class);

  private static final long LEAST_SPACE = 256 * 1024;
  private static final byte[] LINE_END = {'\n'};

  /** How files are opened, so that a test can hand out one that fails. */
  interface Opener {
    FileChannel append(Path file) throws IOException;
  }

  private final Path file;
  private final AuditLine line;
  private final Clock clock;
  private final Opener opener;

  private LastId companion;
  private FileChannel channel;
  private long debris = -1;
  private volatile LogState state = LogState.CLOSED;

  AuditLog(Path file, AuditLine line, Clock clock) {
    this(file, line, clock, AuditLog::openForAppend);
  }

  AuditLog(Path file, AuditLine line, Clock clock, Opener opener) {
    this.file = file;
    this.line = line;
    this.clock = clock;
    this.opener = opener;
  }

  private static FileChannel openForAppend(Path file) throws IOException {
    return FileChannel.open(
        file, StandardOpenOption.CREATE, StandardOpenOption.WRITE, StandardOpenOption.APPEND);
  }

  LogState state() {
    return state;
  }

  /**
   * Makes the log ready: opens it, or opens it again when it was moved away, emptied or mended;
   * cuts off what a crash left of a line.
   */
  void open() throws IOException {
    try {
      if (channel == null || debris >= 0 || !isTheFileThatIsOpen()) {
        reopen();
      }
    } catch (IOException | RuntimeException failure) {
      state = state.failed();
      throw failure;
    }
  }

  private boolean isTheFileThatIsOpen() throws IOException {
    try {
      var now = Files.readAttributes(file, BasicFileAttributes.class);
      return now.fileKey().equals(state.key()) && now.size() == state.size();
    } catch (NoSuchFileException moved) {
      return false;
    }
  }

  private void reopen() throws IOException {
    closeChannel();
    LogState before = state;
    openCompanion(before.lastId());
    boolean made = !Files.exists(file);
    channel = opener.append(file);
    Object key = Files.readAttributes(file, BasicFileAttributes.class).fileKey();
    if (debris >= 0 && key.equals(before.key()) && channel.size() > debris) {
      cut(debris);
    }
    debris = -1;
    LogTail tail = LogTail.of(file);
    long size = mend(tail);
    if (made) {
      syncDirectory();
    }
    long lastId = Math.max(before.lastId(), Math.max(tail.lastId(), companion.value()));
    state = new LogState(key, size, lastId, before.healthy() || before.key() == null);
  }

  private void openCompanion(long lastId) throws IOException {
    Path beside = LastId.beside(file);
    if (companion != null && Files.exists(beside)) {
      return;
    }
    if (companion != null) {
      companion.close();
    }
    Files.createDirectories(file.getParent());
    companion = LastId.open(beside);
    if (lastId > companion.value()) {
      companion.store(lastId);
    }
    syncDirectory();
  }

  private void cut(long size) throws IOException {
    channel.truncate(size);
    channel.force(true);
  }

  /** Makes the file end with a line end. */
  private long mend(LogTail tail) throws IOException {
    if (tail.torn() > 0) {
      LOG.warn("audit log torn line cut off file={} bytes={}", file, tail.torn());
      cut(tail.size());
    }
    return tail.unended() ? tail.size() + channel.write(ByteBuffer.wrap(LINE_END)) : tail.size();
  }

  /** Makes the names of new files last. */
  private void syncDirectory() throws IOException {
    try (FileChannel directory = FileChannel.open(file.getParent())) {
      directory.force(true);
    }
  }

  /**
   * Writes all entries, with ids that follow each other, or none of them.
   *
   * @return the id of the first one
   */
  long append(List<AuditMessages.Append> entries) throws IOException {
    open();
    LogState before = state;
    var batch = new ByteArrayOutputStream(entries.size() * 512);
    long id = before.lastId();
    for (AuditMessages.Append entry : entries) {
      line.print(++id, OffsetDateTime.now(clock), entry, batch);
    }
    try {
      ByteBuffer bytes = ByteBuffer.wrap(batch.toByteArray());
      while (bytes.hasRemaining()) {
        channel.write(bytes);
      }
      channel.force(false);
      companion.store(id);
    } catch (IOException | RuntimeException failure) {
      undo(before);
      throw failure;
    }
    state = new LogState(before.key(), before.size() + batch.size(), id, true);
    return before.lastId() + 1;
  }

  /** Takes back what of a batch may have reached the file, now or when it is next opened. */
  private void undo(LogState before) {
    debris = before.size();
    state = before.failed();
    try {
      reopen();
    } catch (IOException | RuntimeException later) {
      closeChannel();
    }
  }

  /**
   * A cheap look, for any thread: the last attempt to write succeeded, the directory is there, and
   * has room for some batches.
   */
  boolean looksWritable() {
    File directory = file.getParent().toFile();
    return state.healthy()
        && directory.isDirectory()
        && directory.canWrite()
        && directory.getUsableSpace() >= LEAST_SPACE;
  }

  /** Finds out the hard way whether a log that failed works again: with a synced write. */
  void probe() throws IOException {
    if (Files.exists(file.getParent())
        && file.getParent().toFile().getUsableSpace() < LEAST_SPACE) {
      throw new IOException("no space for the audit log");
    }
    open();
    if (!state.healthy()) {
      companion.store(state.lastId());
      state = new LogState(state.key(), state.size(), state.lastId(), true);
    }
  }

  private void closeChannel() {
    try {
      if (channel != null) {
        channel.close();
      }
    } catch (IOException ignored) {
      // What was promised is synced; there is nothing left to lose.
    }
    channel = null;
  }

  @Override
  public void close() throws IOException {
    closeChannel();
    if (companion != null) {
      companion.close();
      companion = null;
    }
    state = state.failed();
  }
}
