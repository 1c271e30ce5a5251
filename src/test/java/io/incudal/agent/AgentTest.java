package io.incudal.agent;

import io.incudal.agent.lab.LabExtension;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * For a class of integration tests: boots the whole agent on a free port, in front of a lab of the
 * class's own. Ask for a {@link RunningAgent}, and for a {@code Lab}, as parameters; both are
 * shared by the tests of the class and end with it.
 */
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@ExtendWith({LabExtension.class, AgentExtension.class})
public @interface AgentTest {
  /** Settings that differ from the usual ones, as {@code NAME=value}. */
  String[] settings() default {};
}
