package io.incudal.agent.target.stgt;

import io.incudal.agent.exec.ToolResult;
import io.incudal.agent.target.stgt.TgtadmListing.Shown;
import java.util.List;
import java.util.Optional;

/**
 * What the daemon had at one moment, and which daemon it was.
 *
 * <p>The daemon is told by its control socket, which every start of it makes anew. It is looked at
 * after the listing, in the same command: so a listing never passes for an older daemon's, and an
 * answer without this last line has lost its output.
 *
 * @param identity empty when the container has no {@code stat} or keeps the socket elsewhere
 * @param lost whether the command ended well but its output did not arrive
 */
record Snapshot(List<Shown> targets, Optional<String> identity, boolean lost) {
  static final String IDENTITY_MARK = "tgtd-socket ";

  static Snapshot of(ToolResult result) {
    String text = result.stdout();
    Optional<String> identity = identityIn(text);
    if (result.ok() && identity.isEmpty()) {
      return new Snapshot(List.of(), identity, true);
    }
    String listing = identity.isEmpty() ? text : text.substring(0, markAt(text));
    return new Snapshot(TgtadmListing.targets(listing), identity, false);
  }

  static Optional<String> identityIn(String text) {
    int at = markAt(text);
    return at < 0 ? Optional.empty() : Optional.of(text.substring(at).strip());
  }

  Optional<Shown> find(String iqn) {
    return targets.stream().filter(shown -> shown.target().iqn().equals(iqn)).findFirst();
  }

  /** Where the last line begins, when it is the daemon's identity. */
  private static int markAt(String text) {
    int line = text.lastIndexOf('\n', text.length() - 2) + 1;
    return text.startsWith(IDENTITY_MARK, line) ? line : -1;
  }
}
