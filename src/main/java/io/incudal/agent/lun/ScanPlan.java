package io.incudal.agent.lun;

import io.incudal.agent.bus.AgentException;
import io.incudal.agent.image.ImageFile;
import io.incudal.agent.image.ImageName;
import io.incudal.agent.target.Iqn;
import io.incudal.agent.target.Target;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * What a scan makes of each file, in the order of their names: decided from one look at the
 * directory and one at the targets. Pure; touches neither.
 */
final class ScanPlan {
  private final Names names;
  private final UsedFiles used;
  private final List<Item> items = new ArrayList<>();
  private final Map<Iqn, ImageName> claimed = new HashMap<>();

  private ScanPlan(Names names, UsedFiles used) {
    this.names = names;
    this.used = used;
  }

  /** What is to be done about one file, or about one of its IQNs. */
  sealed interface Item {
    record Export(ImageFile file, Iqn iqn) implements Item {}

    /** There is a target of this name already. */
    record Skip(String iqn) implements Item {}

    record Fail(ImageName file, String why) implements Item {}
  }

  /**
   * @param files in name order
   */
  static List<Item> of(List<ImageFile> files, UsedFiles used, Names names) {
    ScanPlan plan = new ScanPlan(names, used);
    files.forEach(plan::add);
    return List.copyOf(plan.items);
  }

  private void add(ImageFile file) {
    ImageName name = file.name();
    if (!names.exports(name)) {
      // An ISO on a back end without CDs.
      names.ofFileIfValid(name).ifPresent(iqn -> items.add(new Item.Skip(iqn.value())));
      return;
    }
    List<String> users = used.usersOf(name);
    boolean several = name.isIso() && !file.iqns().isEmpty();
    if (!users.isEmpty() && !several) {
      users.forEach(user -> items.add(new Item.Skip(user)));
      return;
    }
    try {
      names.file(name.value());
      for (String iqn : claims(file)) {
        add(file, names.iqn(iqn));
      }
    } catch (AgentException invalid) {
      items.add(new Item.Fail(name, invalid.getMessage()));
    }
  }

  private void add(ImageFile file, Iqn iqn) {
    Optional<Target> target = used.target(iqn);
    if (target.isPresent()) {
      items.add(
          used.isUsedBy(file.name(), iqn)
              ? new Item.Skip(target.get().iqn())
              : new Item.Fail(file.name(), "the iqn " + iqn + " is taken by another target"));
    } else if (!file.wholeBlocks()) {
      items.add(new Item.Fail(file.name(), "it is empty or no multiple of 512 bytes"));
    } else if (claimed.putIfAbsent(iqn, file.name()) != null) {
      items.add(
          new Item.Fail(file.name(), "the iqn " + iqn + " is taken by '" + claimed.get(iqn) + "'"));
    } else {
      items.add(new Item.Export(file, iqn));
    }
  }

  /** The names that a file is to be exported under: those recorded with it, else its own. */
  private List<String> claims(ImageFile file) {
    List<String> recorded = file.iqns();
    if (recorded.isEmpty()) {
      return List.of(names.ofFile(file.name()).value());
    }
    // A disk has one name only: two exports of it would ruin each other's data.
    return file.name().isDisk() ? recorded.subList(0, 1) : recorded;
  }
}
