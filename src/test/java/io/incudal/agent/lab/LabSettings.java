package io.incudal.agent.lab;

import java.nio.file.Path;
import java.util.Map;

/**
 * What {@code scripts/lab KIND env} printed, read from the environment of the tests.
 *
 * <p>A setting that is missing fails the test: an integration test that skips itself proves
 * nothing.
 */
public record LabSettings(Map<String, String> values) {
  public LabSettings {
    values = Map.copyOf(values);
  }

  public static LabSettings ofEnvironment() {
    return new LabSettings(System.getenv());
  }

  public String kind() {
    return value("LAB_KIND");
  }

  /** The Docker engine of the lab. */
  public String dockerHost() {
    return value("DOCKER_HOST");
  }

  /** The container image that holds the target daemon. */
  public String image() {
    return value("LAB_IMAGE");
  }

  /** The directory below which tests make their image directories. */
  public Path images() {
    return Path.of(value("LAB_IMAGES"));
  }

  public String valueOr(String name, String other) {
    return values.getOrDefault(name, other);
  }

  public String value(String name) {
    String value = values.get(name);
    if (value == null || value.isBlank()) {
      throw new IllegalStateException(
          name
              + " is not set: run the integration tests by scripts/test, or after"
              + " eval \"$(scripts/lab KIND env)\"");
    }
    return value;
  }
}
