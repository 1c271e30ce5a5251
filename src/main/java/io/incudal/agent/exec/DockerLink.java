package io.incudal.agent.exec;

import com.github.dockerjava.api.DockerClient;
import com.github.dockerjava.api.async.ResultCallback;
import com.github.dockerjava.api.model.Frame;
import com.github.dockerjava.api.model.StreamType;
import com.github.dockerjava.transport.DockerHttpClient;
import java.io.Closeable;
import java.io.IOException;
import java.util.concurrent.CountDownLatch;

/**
 * The hijacked stream of one exec. docker-java gives it two threads, one that reads from the engine
 * and calls back here, and one that writes what {@link StdinQueue} holds; both end with {@link
 * #close} or with the stream. Owns the HTTP client.
 */
final class DockerLink implements ShellHost.ShellLink {
  private final DockerHttpClient http;
  private final ShellHost.ShellSink sink;
  private final String instance;
  private final StdinQueue stdin = new StdinQueue();
  private final CountDownLatch started = new CountDownLatch(1);
  private volatile Closeable stream;
  private volatile Throwable failure;

  DockerLink(DockerHttpClient http, ShellHost.ShellSink sink, String instance) {
    this.http = http;
    this.sink = sink;
    this.instance = instance;
  }

  /** Starts the exec and waits until the engine has switched to its stream. */
  void start(DockerClient docker, String execId) throws InterruptedException {
    try {
      docker
          .execStartCmd(execId)
          .withDetach(false)
          .withTty(false)
          .withStdIn(stdin)
          .exec(callback());
      started.await();
      if (stream == null) {
        throw failure instanceof RuntimeException known
            ? known
            : new IllegalStateException(failure);
      }
    } catch (InterruptedException | RuntimeException failed) {
      close();
      throw failed;
    }
  }

  @Override
  public String instance() {
    return instance;
  }

  @Override
  public void send(byte[] bytes) {
    stdin.add(bytes);
  }

  @Override
  public void close() {
    stdin.close();
    Closeable open = stream;
    if (open != null) {
      try {
        open.close();
      } catch (IOException broken) {
        // It was to be thrown away.
      }
    }
    // Also ends a thread that still waits for the engine's first answer.
    DockerEngine.discard(http);
  }

  /** Not docker-java's adapter, which logs every end of a stream as an error. */
  private ResultCallback<Frame> callback() {
    return new ResultCallback<>() {
      @Override
      public void onStart(Closeable opened) {
        stream = opened;
        started.countDown();
      }

      @Override
      public void onNext(Frame frame) {
        if (frame.getStreamType() == StreamType.STDERR) {
          sink.stderr(frame.getPayload());
        } else {
          sink.stdout(frame.getPayload());
        }
      }

      @Override
      public void onError(Throwable cause) {
        failure = cause;
        onComplete();
      }

      @Override
      public void onComplete() {
        stdin.close();
        started.countDown();
        sink.ended();
      }

      @Override
      public void close() {}
    };
  }
}
