package io.incudal.agent.target.lio;

import io.incudal.agent.target.Lun;
import io.incudal.agent.target.Target;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.function.Consumer;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * What {@code list.sh} printed.
 *
 * @param boot id of the kernel that has these targets
 */
record LioListing(String boot, List<Target> targets) {
  private static final String END = ".";

  /** In the place of the targets, but none. */
  private static final Set<String> OTHERS = Set.of("*", "discovery_auth");

  /** A name holds colons, but no slash; a path behind the colon may hold both. */
  private static final Pattern TARGET = Pattern.compile("T ([^/]+)/");

  private static final Pattern LUN = Pattern.compile("L ([^/]+)/(tpgt_[0-9]+/lun/lun_([0-9]+))/");
  private static final Pattern IMAGE =
      Pattern.compile("([^/]+/tpgt_[0-9]+/lun/lun_[0-9]+)/[^/]+/udev_path:(.+)");

  LioListing {
    targets = List.copyOf(targets);
  }

  /** Empty when the text is not whole: without its end, a list may lack anything. */
  static Optional<LioListing> parse(String text) {
    List<String> lines = text.lines().toList();
    if (lines.size() < 2 || !lines.get(lines.size() - 1).equals(END)) {
      return Optional.empty();
    }
    Map<String, String> images = new HashMap<>();
    matches(IMAGE, lines, found -> images.put(found.group(1), found.group(2)));
    Map<String, List<Lun>> targets = new LinkedHashMap<>();
    matches(TARGET, lines, found -> targets.put(found.group(1), new ArrayList<>()));
    targets.keySet().removeAll(OTHERS);
    matches(
        LUN,
        lines,
        found -> {
          String image = images.get(found.group(1) + "/" + found.group(2));
          Lun lun = new Lun(Integer.parseInt(found.group(3)), Optional.ofNullable(image));
          // A target that came after the names were read is not listed, and its LUN neither.
          targets.getOrDefault(found.group(1), new ArrayList<>()).add(lun);
        });
    List<Target> all = new ArrayList<>();
    targets.forEach((iqn, luns) -> all.add(new Target(OptionalInt.empty(), iqn, luns)));
    return Optional.of(new LioListing(lines.get(0), all));
  }

  private static void matches(Pattern pattern, List<String> lines, Consumer<Matcher> use) {
    lines.stream().map(pattern::matcher).filter(Matcher::matches).forEach(use);
  }
}
