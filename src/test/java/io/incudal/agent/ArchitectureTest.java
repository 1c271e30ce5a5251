package io.incudal.agent;

import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.simpleNameEndingWith;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.library.dependencies.SlicesRuleDefinition;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Who may import whom, and which outside types stay in one room. */
class ArchitectureTest {
  private static final String ROOT = "io.incudal.agent.";
  private static final JavaClasses AGENT =
      new ClassFileImporter()
          .withImportOption(new ImportOption.DoNotIncludeTests())
          .importPackages("io.incudal.agent");

  /** Each room and the rooms it may use whole; a feature's messages and {@code Iqn} are added. */
  private static final Map<String, List<String>> ROOMS =
      Map.ofEntries(
          Map.entry("bus", List.of()),
          Map.entry("config", List.of()),
          Map.entry("log", List.of("support", "bus", "config")),
          Map.entry("support", List.of("bus")),
          Map.entry("exec", List.of("bus", "config")),
          Map.entry("image", List.of("support", "bus", "config")),
          Map.entry("audit", List.of("support", "bus", "config")),
          Map.entry("target", List.of("exec", "support", "bus", "config")),
          Map.entry("lun", List.of("target", "image", "support", "bus", "config")),
          Map.entry("scan", List.of("support", "bus", "config")),
          Map.entry("auth", List.of("support", "bus", "config")),
          Map.entry("api", List.of("auth", "support", "bus", "config")),
          Map.entry("metrics", List.of("api", "exec", "image", "lun", "audit", "bus", "config")),
          Map.entry("panel", List.of("support", "bus", "config")),
          Map.entry("upgrade", List.of("support", "bus", "config")));

  /** Rooms that speak to other rooms over the bus, and so need their messages. */
  private static final Set<String> SPEAKERS =
      Set.of("lun", "scan", "api", "metrics", "panel", "upgrade");

  private static final DescribedPredicate<JavaClass> MESSAGES =
      simpleNameEndingWith("Messages")
          .or(
              DescribedPredicate.describe(
                  "part of a message",
                  type ->
                      type.getEnclosingClass()
                          .map(outer -> isMessagesOrInside(outer))
                          .orElse(false)))
          .or(DescribedPredicate.describe("Iqn", type -> type.getSimpleName().equals("Iqn")))
          .or(DescribedPredicate.describe("Sent", type -> type.getSimpleName().equals("Sent")));

  static Stream<String> rooms() {
    return ROOMS.keySet().stream().sorted();
  }

  @Test
  void everyPackageIsARoomOfThePlan() {
    Set<String> found = new TreeSet<>();
    for (JavaClass type : AGENT) {
      if (type.getPackageName().startsWith(ROOT)) {
        found.add(type.getPackageName().substring(ROOT.length()).split("\\.")[0]);
      }
    }
    found.removeAll(ROOMS.keySet());
    assertEquals(Set.of(), found, "rooms that the plan does not know");
  }

  @ParameterizedTest
  @MethodSource("rooms")
  void importsOnlyWhatThePlanAllows(String room) {
    String[] allowed =
        Stream.concat(Stream.of(room), ROOMS.get(room).stream())
            .map(name -> ROOT + name + "..")
            .toArray(String[]::new);
    DescribedPredicate<JavaClass> forbidden =
        resideInAPackage("io.incudal.agent..")
            .and(DescribedPredicate.not(resideInAnyPackage(allowed)));
    if (SPEAKERS.contains(room)) {
      forbidden = forbidden.and(DescribedPredicate.not(MESSAGES));
    }
    noClasses()
        .that()
        .resideInAPackage(ROOT + room + "..")
        .should()
        .dependOnClassesThat(forbidden)
        .allowEmptyShould(true)
        .check(AGENT);
  }

  @Test
  void roomsFormNoCycle() {
    SlicesRuleDefinition.slices()
        .matching("io.incudal.agent.(*)..")
        .should()
        .beFreeOfCycles()
        .ignoreDependency(DescribedPredicate.alwaysTrue(), MESSAGES)
        .check(AGENT);
  }

  @Test
  void dockerJavaStaysInExec() {
    fence("exec", "com.github.dockerjava..");
  }

  @Test
  void measurementsStayInMetrics() {
    fence("metrics", "io.micrometer..", "io.vertx.micrometer..");
  }

  @Test
  void jwtsStayInAuth() {
    fence("auth", "io.vertx.ext.auth..");
  }

  @Test
  void nativeCallsStayInImage() {
    fence("image", "com.sun.jna..");
  }

  @Test
  void routingStaysInApi() {
    noClasses()
        .that()
        .resideOutsideOfPackage(ROOT + "api..")
        .should()
        .dependOnClassesThat()
        .haveFullyQualifiedName("io.vertx.ext.web.RoutingContext")
        .check(AGENT);
  }

  @Test
  void theEventBusStaysInBus() {
    fence("bus", "io.vertx.core.eventbus..");
  }

  @Test
  void environmentAndRawConfigurationStayInConfig() {
    fence("config", "io.vertx.config..");
    noClasses()
        .that()
        .resideOutsideOfPackage(ROOT + "config..")
        .should()
        .callMethod(System.class, "getenv")
        .orShould()
        .callMethod(System.class, "getenv", String.class)
        .check(AGENT);
  }

  @Test
  void processesAreStartedOnlyInExecAndUpgrade() {
    noClasses()
        .that()
        .resideOutsideOfPackages(ROOT + "exec..", ROOT + "upgrade..")
        .should()
        .dependOnClassesThat()
        .areAssignableTo(ProcessBuilder.class)
        .orShould()
        .callMethod(Runtime.class, "exec", String[].class)
        .check(AGENT);
  }

  @Test
  void timersReArm() {
    noClasses()
        .should()
        .callMethod(
            io.vertx.core.Vertx.class, "setPeriodic", long.class, io.vertx.core.Handler.class)
        .check(AGENT);
  }

  @Test
  void classesAreFinal() {
    classes()
        .that()
        .areNotInterfaces()
        .and()
        .areNotEnums()
        .and()
        .areTopLevelClasses()
        .should()
        .haveModifier(com.tngtech.archunit.core.domain.JavaModifier.FINAL)
        .check(AGENT);
  }

  @Test
  void theImporterSeesTheAgent() {
    assertFalse(AGENT.isEmpty());
  }

  private static void fence(String room, String... packages) {
    noClasses()
        .that()
        .resideOutsideOfPackage(ROOT + room + "..")
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage(packages)
        .because(Arrays.toString(packages) + " belongs to " + room)
        .check(AGENT);
  }

  private static boolean isMessagesOrInside(JavaClass type) {
    return type.getSimpleName().endsWith("Messages")
        || type.getEnclosingClass().map(ArchitectureTest::isMessagesOrInside).orElse(false);
  }
}
