package io.incudal.agent.upgrade;

import java.io.IOException;
import java.nio.file.Path;

/** A disk under a process that is killed just before its n-th change. */
final class CrashingSteps implements FileSteps {
  private final FileSteps disk = new DiskSteps();
  private int left;

  CrashingSteps(int fatal) {
    this.left = fatal;
  }

  /** No code of the agent catches it, as none runs after a kill. */
  static final class Crash extends Error {
    private static final long serialVersionUID = 1L;
  }

  interface Action {
    void run() throws Exception;
  }

  /** What the action was ended by: {@code null}, or a class. */
  static Class<?> catchCrash(Action action) {
    try {
      action.run();
      return null;
    } catch (Throwable end) {
      return end.getClass();
    }
  }

  private void step() {
    if (--left == 0) {
      throw new Crash();
    }
  }

  @Override
  public void write(Path file, byte[] content) throws IOException {
    step();
    disk.write(file, content);
  }

  @Override
  public void link(Path file, Path second) throws IOException {
    step();
    disk.link(file, second);
  }

  @Override
  public void rename(Path from, Path to) throws IOException {
    step();
    disk.rename(from, to);
  }

  @Override
  public void delete(Path file) throws IOException {
    step();
    disk.delete(file);
  }

  @Override
  public void seal(Path file) throws IOException {
    step();
    disk.seal(file);
  }
}
