package io.incudal.agent.support;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;

/** The version of this build, {@code vX.Y.Z}, as it stands in the file {@code VERSION}. */
public final class AgentVersion {
  private static final String RESOURCE = "/io/incudal/agent/VERSION";

  private AgentVersion() {}

  public static String current() {
    try (InputStream file = AgentVersion.class.getResourceAsStream(RESOURCE)) {
      return new String(file.readAllBytes(), StandardCharsets.US_ASCII).strip();
    } catch (IOException broken) {
      throw new IllegalStateException("the class path has no " + RESOURCE, broken);
    }
  }
}
