package io.incudal.agent.lab;

import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ExtensionContext.Namespace;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;

/**
 * Gives a test class a {@link Lab} of its own when it asks for one, and removes it after the
 * class's last test.
 */
public final class LabExtension implements ParameterResolver {
  private static final Namespace NAMESPACE = Namespace.create(LabExtension.class);

  @Override
  public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
    return parameter.getParameter().getType() == Lab.class;
  }

  @Override
  public Object resolveParameter(ParameterContext parameter, ExtensionContext context) {
    return labOf(context);
  }

  /** The lab of a test class, made now if nobody has asked for it yet. */
  public static Lab labOf(ExtensionContext context) {
    Class<?> testClass = context.getRequiredTestClass();
    ExtensionContext owner = context;
    while (owner.getParent().flatMap(ExtensionContext::getTestClass).isPresent()) {
      owner = owner.getParent().orElseThrow();
    }
    // The store closes what it holds, newest first, at the end of its context: the class.
    return owner
        .getStore(NAMESPACE)
        .computeIfAbsent(Lab.class, key -> open(testClass.getSimpleName()), Lab.class);
  }

  private static Lab open(String name) {
    LabSettings settings = LabSettings.ofEnvironment();
    return switch (settings.kind()) {
      case "stgt" -> StgtLab.open(settings, name);
      case "lio" -> LioLab.open(settings, name);
      default -> throw new IllegalStateException("LAB_KIND: no lab called " + settings.kind());
    };
  }
}
