package io.incudal.agent;

import io.incudal.agent.lab.LabExtension;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ExtensionContext.Namespace;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;

/** Boots what {@link AgentTest} promises, when a test first asks for it. */
final class AgentExtension implements ParameterResolver {
  private static final Namespace NAMESPACE = Namespace.create(AgentExtension.class);

  @Override
  public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
    return parameter.getParameter().getType() == RunningAgent.class;
  }

  @Override
  public Object resolveParameter(ParameterContext parameter, ExtensionContext context) {
    ExtensionContext owner = context;
    while (owner.getParent().flatMap(ExtensionContext::getTestClass).isPresent()) {
      owner = owner.getParent().orElseThrow();
    }
    Class<?> testClass = owner.getRequiredTestClass();
    // The lab is asked for first, and so is closed after the agent.
    Map<String, String> settings = new HashMap<>(LabExtension.labOf(context).settings());
    for (String setting : testClass.getAnnotation(AgentTest.class).settings()) {
      String[] parts = setting.split("=", 2);
      settings.put(parts[0], parts[1]);
    }
    return owner
        .getStore(NAMESPACE)
        .computeIfAbsent(
            RunningAgent.class, key -> RunningAgent.start(settings), RunningAgent.class);
  }
}
