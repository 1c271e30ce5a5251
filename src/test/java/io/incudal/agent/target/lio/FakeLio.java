package io.incudal.agent.target.lio;

import io.incudal.agent.bus.AgentException;
import io.incudal.agent.bus.ErrorCode;
import io.incudal.agent.exec.ToolCommand;
import io.incudal.agent.exec.ToolResult;
import io.incudal.agent.exec.ToolRunner;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Predicate;

/**
 * A kernel with LIO, and a saved configuration, in memory: answers the back end's scripts as they
 * do on a real one, and can be told to fail. Replies come later, on the caller's context.
 */
public final class FakeLio implements ToolRunner {
  private final Map<String, FakeTarget> kernel = new TreeMap<>();
  private final Map<String, String> backstores = new TreeMap<>();
  private final List<String> commands = new CopyOnWriteArrayList<>();
  private final Deque<Fault> faults = new ConcurrentLinkedDeque<>();
  private Map<String, FakeTarget> saved;
  private Map<String, FakeTarget> copy;
  private Predicate<String> files = path -> Files.isRegularFile(Path.of(path));
  private AgentException down;
  private String lockHolder;
  private int boots = 1;
  private int starts = 1;

  /** An image is {@code null} for a target without LUN. */
  private record FakeTarget(String backstore, String image, boolean open, List<String> sessions) {
    FakeTarget opened(boolean now) {
      return new FakeTarget(backstore, image, now, sessions);
    }
  }

  /** What is to go wrong with the first command that it matches. */
  private record Fault(String pattern, Kind kind, ToolResult answer, Promise<Void> gate) {}

  private enum Kind {
    CUT_BEFORE,
    CUT_AFTER,
    ANSWER,
    HOLD
  }

  /** The next command that holds this text runs past its limit, without effect. */
  public FakeLio cutBefore(String pattern) {
    faults.add(new Fault(pattern, Kind.CUT_BEFORE, null, null));
    return this;
  }

  /** The next command that holds this text takes effect, and its caller hears of a timeout. */
  public FakeLio cutAfter(String pattern) {
    faults.add(new Fault(pattern, Kind.CUT_AFTER, null, null));
    return this;
  }

  /** The next command that holds this text is answered with this, without effect. */
  public FakeLio answer(String pattern, int exitCode, String stdout, String stderr) {
    var answer = new ToolResult(0, exitCode, stdout, stderr);
    faults.add(new Fault(pattern, Kind.ANSWER, answer, null));
    return this;
  }

  /** The next command that holds this text waits for the promise. */
  public Promise<Void> hold(String pattern) {
    Promise<Void> gate = Promise.promise();
    faults.add(new Fault(pattern, Kind.HOLD, null, gate));
    return gate;
  }

  /** What was to go wrong, and has not yet, goes well. */
  public FakeLio withoutFaults() {
    faults.clear();
    return this;
  }

  /** Which images are there; the real ones by default. */
  public synchronized FakeLio files(Predicate<String> exist) {
    files = exist;
    return this;
  }

  /** Somebody else has targetcli's lock; nobody when {@code null}. */
  public synchronized void lockedBy(String holder) {
    lockHolder = holder;
  }

  public synchronized void containerDown() {
    down = new AgentException(ErrorCode.CONTAINER_UNAVAILABLE, "the container is not running");
  }

  /** The container is started; the kernel went on meanwhile. */
  public synchronized void up() {
    down = null;
    starts++;
  }

  /** The node is started anew: what only the kernel had is lost. */
  public synchronized void reboot() {
    boots++;
    starts++;
    kernel.clear();
    backstores.clear();
  }

  /** A target made by hand; without LUN when there is no image. */
  public synchronized FakeLio with(String iqn, String backstore, String image) {
    kernel.put(iqn, new FakeTarget(backstore, image, true, new ArrayList<>()));
    if (image != null) {
      backstores.put(backstore, image);
    }
    return this;
  }

  public synchronized FakeLio withBackstore(String name, String image) {
    backstores.put(name, image);
    return this;
  }

  public synchronized FakeLio withSession(String iqn, String initiator) {
    kernel.get(iqn).sessions.add(initiator);
    return this;
  }

  public synchronized void removeTarget(String iqn) {
    kernel.remove(iqn);
  }

  /** Refuses logins, as a deletion that was cut off leaves it. */
  public synchronized void shut(String iqn) {
    kernel.computeIfPresent(iqn, (name, target) -> target.opened(false));
  }

  /** The saved configuration becomes unreadable, and its copy too when {@code both}. */
  public synchronized void tearSaved(boolean both) {
    saved = null;
    copy = both ? null : copy;
  }

  public synchronized void saveAll() {
    saved = new TreeMap<>(kernel);
    copy = saved;
  }

  public synchronized String describe(String iqn) {
    FakeTarget target = kernel.get(iqn);
    return target == null
        ? "missing"
        : target.backstore + "=" + target.image + (target.open ? " open" : " shut");
  }

  public synchronized List<String> names() {
    return List.copyOf(kernel.keySet());
  }

  public synchronized List<String> savedNames() {
    return saved == null ? List.of() : List.copyOf(saved.keySet());
  }

  public synchronized List<String> backstoreNames() {
    return List.copyOf(backstores.keySet());
  }

  /** What ran, without the scripts' texts: {@code EXPORT iqn name image 1 boot}. */
  public List<String> commands() {
    return commands;
  }

  public long count(String prefix) {
    return commands.stream().filter(command -> command.startsWith(prefix)).count();
  }

  @Override
  public Future<ToolResult> run(ToolCommand command) {
    Context context = Vertx.currentContext();
    Promise<ToolResult> reply = Promise.promise();
    String text = describe(command);
    Fault fault = faultFor(text);
    Runnable perform = () -> performed(command, text, fault).onComplete(reply);
    if (fault != null && fault.kind == Kind.HOLD) {
      fault.gate.future().onSuccess(open -> context.runOnContext(later -> perform.run()));
    } else {
      context.runOnContext(later -> perform.run());
    }
    return reply.future();
  }

  @Override
  public synchronized Future<String> instance() {
    return down == null ? Future.succeededFuture("start-" + starts) : Future.failedFuture(down);
  }

  @Override
  public Future<Void> close() {
    return Future.succeededFuture();
  }

  private Future<ToolResult> performed(ToolCommand command, String text, Fault fault) {
    try {
      return perform(command, text, fault);
    } catch (RuntimeException broken) {
      return Future.failedFuture(broken);
    }
  }

  private synchronized Future<ToolResult> perform(ToolCommand command, String text, Fault fault) {
    if (down != null) {
      return Future.failedFuture(down);
    }
    commands.add(text);
    Kind kind = fault == null ? Kind.HOLD : fault.kind;
    if (kind == Kind.ANSWER) {
      return Future.succeededFuture(fault.answer);
    }
    ToolResult result = kind == Kind.CUT_BEFORE ? null : answer(command);
    return kind == Kind.HOLD
        ? Future.succeededFuture(result)
        : Future.failedFuture(
            new AgentException(ErrorCode.COMMAND_TIMEOUT, "the command ran past its limit"));
  }

  private Fault faultFor(String text) {
    Fault found =
        faults.stream().filter(fault -> text.contains(fault.pattern)).findFirst().orElse(null);
    if (found != null) {
      faults.remove(found);
    }
    return found;
  }

  private static Script scriptOf(ToolCommand command) {
    List<String> step = command.steps().get(0);
    for (Script script : Script.values()) {
      List<String> bare = script.step(List.of());
      if (step.size() >= bare.size() && step.subList(0, bare.size()).equals(bare)) {
        return script;
      }
    }
    throw new IllegalArgumentException("no script: " + step);
  }

  private static List<String> argumentsOf(ToolCommand command) {
    List<String> step = command.steps().get(0);
    return step.subList(scriptOf(command).step(List.of()).size(), step.size());
  }

  private static String describe(ToolCommand command) {
    return (scriptOf(command) + " " + String.join(" ", argumentsOf(command))).strip();
  }

  private ToolResult answer(ToolCommand command) {
    List<String> arguments = argumentsOf(command);
    return switch (scriptOf(command)) {
      case PROBE -> ok(boot() + "\n");
      case LIST -> ok(listing());
      case EXPORT -> export(arguments);
      case REFUSE -> refuse(arguments);
      case ADMIT -> admit(arguments);
      case REMOVE -> remove(arguments);
      case SAVED -> savedCommand(arguments);
    };
  }

  private String boot() {
    return "boot-" + boots;
  }

  private String listing() {
    var text = new StringBuilder(boot()).append('\n');
    kernel.forEach(
        (iqn, target) -> {
          text.append("T ").append(iqn).append("/\n");
          if (target.image != null) {
            String lun = iqn + "/tpgt_1/lun/lun_0/";
            text.append("L ").append(lun).append('\n');
            text.append(lun).append("0123456789/udev_path:").append(target.image).append('\n');
          }
        });
    return text.append(".\n").toString();
  }

  private ToolResult export(List<String> arguments) {
    String iqn = arguments.get(0);
    String image = arguments.get(2);
    if (!arguments.get(4).equals(boot())) {
      return failed(Lio.OTHER_KERNEL, "");
    }
    if (kernel.containsKey(iqn)) {
      return failed(Lio.MISMATCH, "");
    }
    if (!files.test(image)) {
      return failed(
          Lio.NO_IMAGE,
          "the iSCSI container has no file "
              + image
              + ": is the image directory mounted there, at the same path?\n");
    }
    backstores.entrySet().removeIf(e -> e.getValue().equals(image) && !used(e.getKey()));
    if (backstores.containsValue(image)) {
      return failed(Lio.IMAGE_TAKEN, "the backstore x has " + image + " already\n");
    }
    String name = arguments.get(1);
    for (int i = 2; backstores.containsKey(name); i++) {
      name = arguments.get(1) + "-" + i;
    }
    with(iqn, name, image);
    return ok(name + "\n");
  }

  private ToolResult refuse(List<String> arguments) {
    FakeTarget target = kernel.get(arguments.get(0));
    if (!arguments.get(2).equals(boot())) {
      return failed(Lio.OTHER_KERNEL, "");
    }
    if (target == null) {
      return failed(Lio.MISMATCH, "");
    }
    var text = new StringBuilder("A 1 " + (target.open ? 1 : 0) + "\n");
    target.sessions.forEach(initiator -> text.append("S ").append(initiator).append('\n'));
    if (!target.sessions.isEmpty() && arguments.get(1).equals("0")) {
      return new ToolResult(0, Lio.IN_USE, text.toString(), "");
    }
    shut(arguments.get(0));
    return ok(text.toString());
  }

  private ToolResult admit(List<String> arguments) {
    boolean open = arguments.size() < 3 || arguments.get(2).equals("1");
    kernel.computeIfPresent(arguments.get(0), (iqn, target) -> target.opened(open));
    return ok("");
  }

  private ToolResult remove(List<String> arguments) {
    FakeTarget target = kernel.get(arguments.get(0));
    String image = arguments.get(1);
    if (!arguments.get(2).equals(boot())) {
      return failed(Lio.OTHER_KERNEL, "");
    }
    if (target != null && !image.isEmpty() && !image.equals(target.image) && target.image != null) {
      return failed(Lio.MISMATCH, "");
    }
    kernel.remove(arguments.get(0));
    Collection<String> names = arguments.subList(3, arguments.size());
    backstores
        .entrySet()
        .removeIf(
            e ->
                !used(e.getKey())
                    && (names.contains(e.getKey())
                        || e.getValue().equals(image)
                        || (target != null && e.getKey().equals(target.backstore))));
    return ok("");
  }

  private boolean used(String backstore) {
    return kernel.values().stream()
        .anyMatch(target -> target.image != null && backstore.equals(target.backstore));
  }

  private ToolResult savedCommand(List<String> arguments) {
    return switch (arguments.get(0)) {
      case "look" -> ok(new JsonObject().put("targets", new JsonArray(savedNames())).encode());
      case "save" ->
          lockHolder == null
              ? save(arguments.subList(2, arguments.size()))
              : failed(75, lockText());
      default -> restore();
    };
  }

  private String lockText() {
    return "/var/run/targetcli.lock is held by " + lockHolder + "\n";
  }

  private ToolResult save(List<String> changes) {
    Map<String, FakeTarget> now = new TreeMap<>(Objects.requireNonNullElse(saved, kernel));
    var missing = new JsonArray();
    for (String change : changes) {
      String iqn = change.substring(1);
      if (change.startsWith("-")) {
        now.remove(iqn);
      } else if (kernel.containsKey(iqn)) {
        now.put(iqn, kernel.get(iqn));
      } else {
        missing.add(iqn);
      }
    }
    saved = now;
    copy = now;
    return ok(new JsonObject().put("missing", missing).encode());
  }

  private ToolResult restore() {
    Map<String, FakeTarget> source = saved != null ? saved : copy;
    var restored = new JsonArray();
    var left = new JsonObject();
    if (source != null) {
      source.forEach(
          (iqn, target) -> {
            if (!kernel.containsKey(iqn) && files.test(target.image)) {
              with(iqn, target.backstore, target.image);
              restored.add(iqn);
            } else if (!kernel.containsKey(iqn)) {
              left.put(iqn, target.image + " is not there");
            }
          });
    }
    JsonObject reply =
        new JsonObject()
            .put("source", saved != null ? "saved" : copy != null ? "copy" : "none")
            .put("restored", restored)
            .put("left", left)
            .put("errors", new JsonArray());
    saved = source;
    return ok(survey(reply, source == null ? Map.of() : source).encode());
  }

  private JsonObject survey(JsonObject reply, Map<String, FakeTarget> source) {
    List<String> unsaved =
        kernel.keySet().stream().filter(iqn -> !source.containsKey(iqn)).toList();
    List<String> closed = kernel.keySet().stream().filter(iqn -> !kernel.get(iqn).open).toList();
    var idle = new JsonArray();
    backstores.forEach(
        (name, image) -> {
          if (!used(name)) {
            idle.add(new JsonObject().put("name", name).put("image", image));
          }
        });
    return reply
        .put("saved", new JsonArray(List.copyOf(source.keySet())))
        .put("kernel", kernel.size())
        .put("unsaved", new JsonArray(unsaved))
        .put("closed", new JsonArray(closed))
        .put("idle", idle);
  }

  private static ToolResult ok(String stdout) {
    return new ToolResult(0, 0, stdout, "");
  }

  private static ToolResult failed(int exitCode, String stderr) {
    return new ToolResult(0, exitCode, "", stderr);
  }
}
