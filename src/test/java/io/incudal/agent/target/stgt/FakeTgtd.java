package io.incudal.agent.target.stgt;

import io.incudal.agent.bus.AgentException;
import io.incudal.agent.bus.ErrorCode;
import io.incudal.agent.exec.ToolCommand;
import io.incudal.agent.exec.ToolResult;
import io.incudal.agent.exec.ToolRunner;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Predicate;

/**
 * A tgtd in memory that answers {@code tgtadm} with the real one's texts and exit codes, and that
 * can be told to fail. Commands run one after another; replies come later, on the caller's context.
 */
public final class FakeTgtd implements ToolRunner {
  private static final int REFUSED = 22;

  private final Map<Integer, FakeTarget> targets = new TreeMap<>();
  private final List<String> commands = new CopyOnWriteArrayList<>();
  private final Deque<Fault> faults = new ConcurrentLinkedDeque<>();
  private Predicate<String> files = path -> Files.isRegularFile(Path.of(path));
  private AgentException down;
  private Optional<Path> elsewhere = Optional.empty();
  private boolean identityKnown = true;
  private boolean daemonDown;
  private int starts = 1;

  private static final class FakeTarget {
    final String iqn;
    final Map<Integer, String> luns = new TreeMap<>();
    final Map<String, String> sessions = new LinkedHashMap<>();
    boolean cd;
    boolean bound;

    FakeTarget(String iqn) {
      this.iqn = iqn;
    }
  }

  /** What is to go wrong with the first command that it matches. */
  private record Fault(String pattern, Kind kind, ToolResult answer, Promise<Void> gate) {}

  private enum Kind {
    CUT_BEFORE,
    CUT_AFTER,
    LOSE_OUTPUT,
    ANSWER,
    HOLD
  }

  /** The next command that holds this text runs past its limit, without effect. */
  public FakeTgtd cutBefore(String pattern) {
    faults.add(new Fault(pattern, Kind.CUT_BEFORE, null, null));
    return this;
  }

  /** The next command that holds this text takes effect, and its caller hears of a timeout. */
  public FakeTgtd cutAfter(String pattern) {
    faults.add(new Fault(pattern, Kind.CUT_AFTER, null, null));
    return this;
  }

  /** The next command that holds this text ends well, and nothing of its output arrives. */
  public FakeTgtd loseOutput(String pattern) {
    faults.add(new Fault(pattern, Kind.LOSE_OUTPUT, null, null));
    return this;
  }

  /** The next step that holds this text is answered with this, without effect. */
  public FakeTgtd answer(String pattern, int exitCode, String stderr) {
    faults.add(new Fault(pattern, Kind.ANSWER, new ToolResult(0, exitCode, "", stderr), null));
    return this;
  }

  /** The next command that holds this text waits for the promise. */
  public Promise<Void> hold(String pattern) {
    Promise<Void> gate = Promise.promise();
    faults.add(new Fault(pattern, Kind.HOLD, null, gate));
    return gate;
  }

  /** Which backing files are there; the real ones by default. */
  public synchronized FakeTgtd files(Predicate<String> exist) {
    files = exist;
    return this;
  }

  /** The container has another directory than the agent in the image directory's place. */
  public synchronized FakeTgtd mounting(Path other) {
    elsewhere = Optional.of(other);
    return this;
  }

  /** A system without {@code stat}. */
  public synchronized FakeTgtd withoutIdentity() {
    identityKnown = false;
    return this;
  }

  public synchronized void containerDown() {
    down = new AgentException(ErrorCode.CONTAINER_UNAVAILABLE, "the container is not running");
  }

  public synchronized void dockerDown() {
    down = new AgentException(ErrorCode.DOCKER_UNAVAILABLE, "the Docker engine cannot be reached");
  }

  /** The container is there again, with a new daemon. */
  public synchronized void up() {
    down = null;
    restartDaemon();
  }

  /** The container answers again and has lost nothing. */
  public synchronized void unpause() {
    down = null;
  }

  public synchronized void daemonDown() {
    daemonDown = true;
    targets.clear();
  }

  public synchronized void restartDaemon() {
    daemonDown = false;
    starts++;
    targets.clear();
  }

  /** A target made by somebody else, open to all. */
  public synchronized FakeTgtd with(int tid, String iqn, String... paths) {
    FakeTarget target = new FakeTarget(iqn);
    target.bound = true;
    for (String path : paths) {
      target.luns.put(target.luns.size() + 1, path);
    }
    targets.put(tid, target);
    return this;
  }

  /** What an agent leaves that was killed before it opened a target to all. */
  public synchronized FakeTgtd withUnbound(int tid, String iqn, String... paths) {
    with(tid, iqn, paths);
    targets.get(tid).bound = false;
    return this;
  }

  /** Somebody else removes a target. */
  public synchronized FakeTgtd without(String iqn) {
    targets.values().removeIf(target -> target.iqn.equals(iqn));
    return this;
  }

  public synchronized void login(String iqn, String initiator) {
    byName(iqn).sessions.put(initiator, "10.0.0.7");
  }

  public synchronized void logout(String iqn) {
    byName(iqn).sessions.clear();
  }

  /** Names of the targets in the order of their tids. */
  public synchronized List<String> names() {
    return targets.values().stream().map(target -> target.iqn).toList();
  }

  public synchronized List<Integer> tids() {
    return List.copyOf(targets.keySet());
  }

  /** What a target's LUNs show, whether it is open, and whether it is a CD. */
  public synchronized String describe(String iqn) {
    FakeTarget target = byName(iqn);
    return target.luns + (target.bound ? " open" : " closed") + (target.cd ? " cd" : "");
  }

  /** The steps that were run so far, each as one line. */
  public List<String> commands() {
    return List.copyOf(commands);
  }

  public long count(String pattern) {
    return commands.stream().filter(line -> line.contains(pattern)).count();
  }

  @Override
  public Future<ToolResult> run(ToolCommand command) {
    Context context = Vertx.currentContext();
    Promise<ToolResult> reply = Promise.promise();
    Fault fault = fault(command.steps().toString().replace(", ", " "));
    Future<Void> gate =
        fault != null && fault.kind == Kind.HOLD ? fault.gate.future() : Future.succeededFuture();
    gate.onComplete(
        open ->
            context.runOnContext(
                go -> {
                  try {
                    reply.complete(perform(command, fault));
                  } catch (AgentException failure) {
                    reply.fail(failure);
                  }
                }));
    return reply.future();
  }

  @Override
  public Future<String> instance() {
    return Future.succeededFuture("container-" + starts);
  }

  @Override
  public Future<Void> close() {
    return Future.succeededFuture();
  }

  private Fault fault(String command) {
    for (Fault fault : faults) {
      if (command.contains(fault.pattern) && faults.remove(fault)) {
        return fault;
      }
    }
    return null;
  }

  private synchronized ToolResult perform(ToolCommand command, Fault fault) {
    if (down != null) {
      throw down;
    }
    Kind kind = fault == null ? Kind.HOLD : fault.kind;
    if (kind == Kind.CUT_BEFORE) {
      throw new AgentException(ErrorCode.COMMAND_TIMEOUT, "the command ran past its limit");
    }
    ToolResult result = steps(command, fault);
    if (kind == Kind.CUT_AFTER) {
      throw new AgentException(ErrorCode.COMMAND_TIMEOUT, "the command ran past its limit");
    }
    return kind == Kind.LOSE_OUTPUT ? new ToolResult(result.step(), 0, "", "") : result;
  }

  private ToolResult steps(ToolCommand command, Fault fault) {
    StringBuilder stdout = new StringBuilder();
    StringBuilder stderr = new StringBuilder();
    int last = 0;
    int exit = 0;
    for (int i = 0; i < command.steps().size() && exit == 0; i++) {
      List<String> step = command.steps().get(i);
      String line = String.join(" ", step);
      commands.add(line);
      last = i;
      ToolResult result =
          fault != null && fault.kind == Kind.ANSWER && line.contains(fault.pattern)
              ? fault.answer
              : step(step);
      exit = result.exitCode();
      stdout.append(result.stdout());
      stderr.append(result.stderr());
    }
    return new ToolResult(last, exit, stdout.toString(), stderr.toString());
  }

  /** In a container, the kernel is that of the machine. */
  private static String boot() {
    try {
      return Files.readString(Path.of("/proc/sys/kernel/random/boot_id")).strip();
    } catch (IOException broken) {
      throw new UncheckedIOException(broken);
    }
  }

  private ToolResult step(List<String> words) {
    if (words.get(0).equals("stat") && words.contains("%d:%i")) {
      return directory(Path.of(words.get(words.size() - 1)));
    }
    if (words.get(0).equals("cat")) {
      return new ToolResult(0, 0, boot() + "\n", "");
    }
    if (words.get(0).equals("stat")) {
      return identityKnown
          ? new ToolResult(0, 0, "tgtd-socket " + starts + " 2026-01-01 00:00:00\n", "")
          : new ToolResult(0, 127, "", "stat: not found\n");
    }
    if (daemonDown) {
      return new ToolResult(
          0,
          107,
          "",
          "tgtadm: failed to send request hdr to tgt daemon, Transport endpoint is not"
              + " connected\n");
    }
    String what = option(words, "--mode") + " " + option(words, "--op");
    if (what.equals("sys show")) {
      return out("System:\n    State: ready\n");
    }
    if (what.equals("target show") && !words.contains("--tid")) {
      return out(listing());
    }
    int tid = Integer.parseInt(option(words, "--tid"));
    if (what.equals("target new")) {
      return newTarget(tid, option(words, "--targetname"));
    }
    FakeTarget target = targets.get(tid);
    return target == null ? refused("can't find the target") : about(target, tid, what, words);
  }

  private ToolResult directory(Path path) {
    try {
      Map<String, Object> now = Files.readAttributes(elsewhere.orElse(path), "unix:dev,ino");
      return out(now.get("dev") + ":" + now.get("ino") + "\n");
    } catch (IOException e) {
      String missing = "stat: cannot statx '" + path + "': No such file or directory\n";
      return new ToolResult(0, 1, "", missing);
    }
  }

  private ToolResult about(FakeTarget target, int tid, String what, List<String> words) {
    return switch (what) {
      case "target show" -> out("nop_interval=0\n");
      case "target bind" -> {
        target.bound = true;
        yield out("");
      }
      case "target unbind" -> {
        target.bound = false;
        yield out("");
      }
      case "target delete" -> delete(target, tid);
      case "conn delete" -> {
        target.sessions.remove(List.copyOf(target.sessions.keySet()).get(0));
        yield out("");
      }
      case "logicalunit new" -> newLun(target, words);
      case "conn show" -> out(sessions(target));
      default -> throw new IllegalArgumentException(what);
    };
  }

  private ToolResult newTarget(int tid, String iqn) {
    if (targets.containsKey(tid)
        || targets.values().stream().anyMatch(target -> target.iqn.equals(iqn))) {
      return refused("this target already exists");
    }
    targets.put(tid, new FakeTarget(iqn));
    return out("");
  }

  private ToolResult newLun(FakeTarget target, List<String> words) {
    String path = option(words, "--backing-store");
    if (path.contains(",") || !files.test(path)) {
      return refused("invalid request");
    }
    target.luns.put(Integer.parseInt(option(words, "--lun")), path);
    target.cd = words.contains("cd");
    return out("");
  }

  private ToolResult delete(FakeTarget target, int tid) {
    if (!target.sessions.isEmpty()) {
      return refused("this target is still active");
    }
    targets.remove(tid);
    return out("");
  }

  private String listing() {
    StringBuilder text = new StringBuilder();
    targets.forEach(
        (tid, target) -> {
          text.append("Target ").append(tid).append(": ").append(target.iqn).append('\n');
          text.append("    System information:\n        Driver: iscsi\n        State: ready\n");
          text.append("    I_T nexus information:\n    LUN information:\n");
          lun(text, 0, "None");
          target.luns.forEach((number, path) -> lun(text, number, path));
          text.append("    Account information:\n    ACL information:\n");
          text.append(target.bound ? "        ALL\n" : "");
        });
    return text.toString();
  }

  private static void lun(StringBuilder text, int number, String path) {
    text.append("        LUN: ").append(number).append("\n            Type: disk\n");
    text.append("            Backing store path: ").append(path);
    text.append("\n            Backing store flags: \n");
  }

  private static String sessions(FakeTarget target) {
    StringBuilder text = new StringBuilder();
    target.sessions.forEach(
        (initiator, address) ->
            text.append("Session: 1\n    Connection: 0\n        Initiator: ")
                .append(initiator)
                .append("\n        IP Address: ")
                .append(address)
                .append('\n'));
    return text.toString();
  }

  private FakeTarget byName(String iqn) {
    return targets.values().stream()
        .filter(target -> target.iqn.equals(iqn))
        .findFirst()
        .orElseThrow(() -> new IllegalArgumentException("no target " + iqn + " in " + names()));
  }

  private static String option(List<String> words, String name) {
    return words.get(words.indexOf(name) + 1);
  }

  private static ToolResult out(String text) {
    return new ToolResult(0, 0, text, "");
  }

  private static ToolResult refused(String why) {
    return new ToolResult(0, REFUSED, "", "tgtadm: " + why + "\n");
  }
}
