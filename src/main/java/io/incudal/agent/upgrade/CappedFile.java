package io.incudal.agent.upgrade;

import io.vertx.core.Future;
import io.vertx.core.Handler;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.file.AsyncFile;
import io.vertx.core.streams.WriteStream;

/** A file that takes so many bytes and no more. Belongs to the context that opened the file. */
final class CappedFile implements WriteStream<Buffer> {
  private final AsyncFile file;
  private final long cap;
  private long length;

  CappedFile(AsyncFile file, long cap) {
    this.file = file;
    this.cap = cap;
  }

  long length() {
    return length;
  }

  @Override
  public Future<Void> write(Buffer data) {
    length += data.length();
    return length > cap
        ? Future.failedFuture(new UpgradeException("the file is longer than " + cap + " bytes"))
        : file.write(data);
  }

  @Override
  public Future<Void> end() {
    return file.end();
  }

  @Override
  public boolean writeQueueFull() {
    return file.writeQueueFull();
  }

  @Override
  public WriteStream<Buffer> setWriteQueueMaxSize(int maxSize) {
    file.setWriteQueueMaxSize(maxSize);
    return this;
  }

  @Override
  public WriteStream<Buffer> drainHandler(Handler<Void> handler) {
    file.drainHandler(handler);
    return this;
  }

  @Override
  public WriteStream<Buffer> exceptionHandler(Handler<Throwable> handler) {
    file.exceptionHandler(handler);
    return this;
  }
}
