package io.incudal.agent.target.lio;

import io.incudal.agent.target.Lun;
import io.incudal.agent.target.Target;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * What {@code list.sh} printed.
 *
 * @param boot id of the kernel that has these targets
 */
record LioListing(String boot, List<Target> targets) {
  private static final String END = ".";

  LioListing {
    targets = List.copyOf(targets);
  }

  /** Empty when the text is not whole: without its end, a list may lack anything. */
  static Optional<LioListing> parse(String text) {
    List<String> lines = text.lines().toList();
    if (lines.size() < 2 || !lines.get(lines.size() - 1).equals(END)) {
      return Optional.empty();
    }
    List<Target> targets = new ArrayList<>();
    List<Lun> luns = new ArrayList<>();
    String iqn = null;
    for (String line : lines.subList(1, lines.size() - 1)) {
      if (line.startsWith("T ")) {
        add(targets, iqn, luns);
        iqn = line.substring(2);
        luns.clear();
      } else if (line.startsWith("L ")) {
        luns.add(lun(line));
      }
    }
    add(targets, iqn, luns);
    return Optional.of(new LioListing(lines.get(0), targets));
  }

  private static void add(List<Target> targets, String iqn, List<Lun> luns) {
    if (iqn != null) {
      targets.add(new Target(OptionalInt.empty(), iqn, luns));
    }
  }

  private static Lun lun(String line) {
    int blank = line.indexOf(' ', 2);
    String backing = line.substring(blank + 1);
    return new Lun(
        Integer.parseInt(line.substring(2, blank)),
        backing.isEmpty() ? Optional.empty() : Optional.of(backing));
  }
}
