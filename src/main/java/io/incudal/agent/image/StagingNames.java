package io.incudal.agent.image;

import java.util.UUID;
import java.util.concurrent.atomic.AtomicLong;
import java.util.regex.Pattern;

/**
 * The hidden names under which images are built, unique to this process: a process id alone would
 * not be, in a container it is always the same. Thread-safe.
 */
final class StagingNames {
  private static final Pattern FORM = Pattern.compile("\\.incudal-[0-9a-f-]{36}-[0-9]+\\.part");

  private final String prefix = ".incudal-" + UUID.randomUUID() + "-";
  private final AtomicLong last = new AtomicLong();

  String next() {
    return prefix + last.incrementAndGet() + ".part";
  }

  /** Whether another process, which must be gone, built an image under this name. */
  boolean isLeftover(String name) {
    return !name.startsWith(prefix) && FORM.matcher(name).matches();
  }
}
