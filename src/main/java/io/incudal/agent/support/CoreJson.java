package io.incudal.agent.support;

import io.vertx.core.json.jackson.JacksonCodec;
import io.vertx.core.spi.JsonFactory;
import io.vertx.core.spi.json.JsonCodec;

/**
 * Keeps Vert.x from building an object mapper, which the agent never asks to map anything: that
 * would be a tenth of its start, only because docker-java has the library on the class path. Found
 * by Vert.x through its service loader.
 */
public final class CoreJson implements JsonFactory {
  /** Called by Vert.x. */
  public CoreJson() {}

  @Override
  public JsonCodec codec() {
    return new JacksonCodec();
  }
}
