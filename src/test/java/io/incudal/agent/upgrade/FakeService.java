package io.incudal.agent.upgrade;

import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Supplier;

/** A service manager that does nothing but remember, or what a test tells it. */
final class FakeService implements ServiceManager {
  final List<String> calls = new CopyOnWriteArrayList<>();
  volatile Optional<String> refusal = Optional.empty();
  volatile Supplier<ServiceState> state = () -> new ServiceState(Activity.UP, 0);
  volatile Runnable onWatcher = () -> {};
  volatile Runnable onOrder = () -> {};
  volatile boolean restarts = true;

  @Override
  public Optional<String> refusal() {
    return refusal;
  }

  @Override
  public void orderRestart() {
    calls.add("order restart");
    onOrder.run();
  }

  @Override
  public boolean restart() {
    calls.add("restart");
    return restarts;
  }

  @Override
  public void startWatcher(Path binary, List<String> command) {
    calls.add("watcher " + String.join(" ", command));
    onWatcher.run();
  }

  @Override
  public ServiceState state() {
    return state.get();
  }
}
