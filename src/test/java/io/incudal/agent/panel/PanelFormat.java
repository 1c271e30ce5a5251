package io.incudal.agent.panel;

import io.vertx.core.json.JsonObject;

/** Lends the reference panel the printer, which the contract's vectors and Node's numbers prove. */
public final class PanelFormat {
  private PanelFormat() {}

  public static String print(JsonObject body) {
    return CanonicalJson.print(body);
  }
}
