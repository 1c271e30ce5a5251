package io.incudal.agent.auth;

import java.util.List;
import java.util.Optional;
import java.util.Set;

/** What the credentials of a request are worth. */
public sealed interface Access {
  /** No token, more than one, or a wrong one. */
  Access REFUSED = new Refused();

  /** The static token: may do everything, and names nobody. */
  Access FULL = new Granted(Optional.empty(), Optional.empty());

  /** Whether an operation that needs all of these scopes may go on. */
  boolean allows(List<String> needed);

  record Refused() implements Access {
    @Override
    public boolean allows(List<String> needed) {
      return false;
    }
  }

  /**
   * @param principal whom the token was made out to, for the audit log
   * @param scopes what it may do; empty means everything
   */
  record Granted(Optional<String> principal, Optional<Set<String>> scopes) implements Access {
    public Granted {
      scopes = scopes.map(Set::copyOf);
    }

    @Override
    public boolean allows(List<String> needed) {
      return scopes.isEmpty() || scopes.get().containsAll(needed);
    }
  }
}
