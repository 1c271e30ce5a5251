package io.incudal.agent.target.stgt;

import io.incudal.agent.target.Lun;
import io.incudal.agent.target.Target;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * Reads what {@code tgtadm --mode target --op show} and {@code --mode conn --op show} print. Pure;
 * refuses a text that it does not understand rather than to overlook a target.
 *
 * <p>Sections are told by their indentation, so that no path or name inside one can pass for the
 * begin of another.
 */
final class TgtadmListing {
  private static final String TARGET = "Target ";
  private static final String LUN = "        LUN: ";
  private static final String PATH = "            Backing store path: ";
  private static final String ACL = "    ACL information:";
  private static final String ACL_ENTRY = "        ";
  private static final String SESSION = "Session: ";
  private static final String CONNECTION = "    Connection: ";
  private static final String INITIATOR = "        Initiator: ";
  private static final String ADDRESS = "        IP Address: ";
  private static final String NO_PATH = "None";

  private final String text;
  private final List<Shown> shown = new ArrayList<>();
  private OptionalInt tid = OptionalInt.empty();
  private String name;
  private List<Lun> luns;
  private int lun;
  private boolean inAcl;
  private boolean bound;

  private TgtadmListing(String text) {
    this.text = text;
  }

  /**
   * A target, and whether any initiator may log in to it.
   *
   * @param bound whether its access list has an entry
   */
  record Shown(Target target, boolean bound) {
    int tid() {
      return target.tid().getAsInt();
    }
  }

  /** Who is logged in to a target: its name and address, and the numbers of its connection. */
  record Session(int sid, int cid, String initiator, String address) {}

  /**
   * @throws IllegalArgumentException when the text is no complete listing
   */
  static List<Shown> targets(String text) {
    return new TgtadmListing(text).read();
  }

  /** The connections to one target, in the order in which they are printed. */
  static List<Session> sessions(String text) {
    List<Session> sessions = new ArrayList<>();
    int sid = 0;
    int cid = 0;
    String initiator = "unknown";
    for (String line : text.split("\n")) {
      if (line.startsWith(SESSION)) {
        sid = number(line.substring(SESSION.length()));
      } else if (line.startsWith(CONNECTION)) {
        cid = number(line.substring(CONNECTION.length()));
      } else if (line.startsWith(INITIATOR)) {
        initiator = line.substring(INITIATOR.length());
      } else if (line.startsWith(ADDRESS)) {
        sessions.add(new Session(sid, cid, initiator, line.substring(ADDRESS.length())));
      }
    }
    return List.copyOf(sessions);
  }

  private List<Shown> read() {
    // By offsets: a listing of a thousand targets has a megabyte, of which little is of interest.
    int begin = 0;
    while (begin < text.length()) {
      int end = text.indexOf('\n', begin);
      if (end < 0) {
        throw broken("it ends in the middle of a line");
      }
      line(begin, end);
      begin = end + 1;
    }
    endTarget();
    return List.copyOf(shown);
  }

  private void line(int begin, int end) {
    if (text.charAt(begin) != ' ') {
      endTarget();
      beginTarget(text.substring(begin, end));
    } else if (text.startsWith(LUN, begin)) {
      lun = number(text.substring(begin + LUN.length(), end));
    } else if (text.startsWith(PATH, begin)) {
      addLun(text.substring(begin + PATH.length(), end));
    } else if (text.startsWith(ACL, begin)) {
      inAcl = true;
    } else if (inAcl && text.startsWith(ACL_ENTRY, begin)) {
      bound = true;
    }
  }

  private void beginTarget(String line) {
    int colon = line.indexOf(": ");
    if (!line.startsWith(TARGET) || colon < 0) {
      throw broken("'" + line + "' is no target");
    }
    tid = OptionalInt.of(number(line.substring(TARGET.length(), colon)));
    name = line.substring(colon + 2);
    luns = new ArrayList<>();
    inAcl = false;
    bound = false;
  }

  private void addLun(String path) {
    if (luns == null) {
      throw broken("a path stands outside a target");
    }
    luns.add(new Lun(lun, path.equals(NO_PATH) ? Optional.empty() : Optional.of(path)));
  }

  private void endTarget() {
    if (tid.isEmpty()) {
      return;
    }
    if (!inAcl) {
      throw broken("target " + tid.getAsInt() + " is cut off");
    }
    shown.add(new Shown(new Target(tid, name, luns), bound));
    tid = OptionalInt.empty();
  }

  private static int number(String digits) {
    try {
      return Integer.parseInt(digits);
    } catch (NumberFormatException e) {
      throw broken("'" + digits + "' is no number");
    }
  }

  private static IllegalArgumentException broken(String why) {
    return new IllegalArgumentException("tgtadm's listing is not understood: " + why);
  }
}
