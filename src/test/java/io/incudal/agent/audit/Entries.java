package io.incudal.agent.audit;

import io.incudal.agent.bus.Caller;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Operations to be logged by tests. */
final class Entries {
  private Entries() {}

  static AuditMessages.Append disk(String iqn) {
    var req = new LinkedHashMap<String, Object>();
    req.put("iqn", iqn);
    req.put("master", null);
    req.put("size", "1G");
    req.put("filename", null);
    return of(req);
  }

  static AuditMessages.Append of(Map<String, Object> req) {
    return new AuditMessages.Append(
        "disk", req, Optional.empty(), Map.of(), new Caller("127.0.0.1", Optional.empty()));
  }

  static List<AuditMessages.Append> one(String iqn) {
    return List.of(disk(iqn));
  }
}
