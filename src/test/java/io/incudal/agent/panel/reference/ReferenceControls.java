package io.incudal.agent.panel.reference;

import io.vertx.core.json.JsonArray;
import io.vertx.ext.web.Router;
import io.vertx.ext.web.RoutingContext;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.ZoneOffset;
import java.util.stream.Collectors;

/** Steers a reference panel over HTTP, for scripts that run it as a process of its own. */
final class ReferenceControls {
  static final String PREFIX = "/reference/";

  private final ReferencePanel panel;

  ReferenceControls(ReferencePanel panel) {
    this.panel = panel;
  }

  void addTo(Router router) {
    router.post(PREFIX + "token").handler(context -> text(context, panel.issueToken()));
    router.post(PREFIX + "clock").handler(this::clock);
    router.post(PREFIX + "publish").handler(this::publish);
    router.post(PREFIX + "offer").handler(this::offer);
    router.post(PREFIX + "disable").handler(this::disable);
    router.post(PREFIX + "away").handler(this::away);
    router.get(PREFIX + "beats").handler(this::beats);
    router.get(PREFIX + "times").handler(this::times);
    router.get(PREFIX + "requests").handler(this::requests);
  }

  /** {@code ?seconds=N}: how far the panel's clock is ahead. */
  private void clock(RoutingContext context) {
    panel.moveClock(Duration.ofSeconds(Long.parseLong(parameter(context, "seconds"))));
    text(context, "ok");
  }

  /** {@code ?directory=D&version=V}. */
  private void publish(RoutingContext context) {
    panel.publish(Path.of(parameter(context, "directory")), parameter(context, "version"));
    text(context, "ok");
  }

  /** {@code ?arch=A} offers the published release; without it, nothing is offered any more. */
  private void offer(RoutingContext context) {
    try {
      String arch = context.request().getParam("arch");
      panel.offer(arch == null ? null : panel.publishedOffer(arch));
      text(context, "ok");
    } catch (IOException unreadable) {
      context.fail(unreadable);
    }
  }

  private void disable(RoutingContext context) {
    panel.disable(parameter(context, "id"));
    text(context, "ok");
  }

  /** {@code ?seconds=N[&retry_after=N]}: answers heartbeats with 503 for that time. */
  private void away(RoutingContext context) {
    var answer = ReferencePanel.Answer.status(503);
    String wait = context.request().getParam("retry_after");
    panel.away(
        Duration.ofSeconds(Long.parseLong(parameter(context, "seconds"))),
        wait == null ? answer : answer.header("retry-after", wait));
    text(context, "ok");
  }

  /** A line for each heartbeat after the first {@code ?skip=N}. */
  private void beats(RoutingContext context) {
    long skip = Long.parseLong(context.request().getParam("skip", "0"));
    context
        .response()
        .end(
            panel.beats().stream()
                .skip(skip)
                .map(ReferenceControls::line)
                .collect(Collectors.joining()));
  }

  /** {@code <Unix milliseconds> <agent's id> <accepted, or why not>}, a line for each heartbeat. */
  private void times(RoutingContext context) {
    context
        .response()
        .end(
            panel.beats().stream()
                .map(
                    beat ->
                        "%d %s %s%n"
                            .formatted(
                                beat.at().toEpochMilli(),
                                beat.headers().get("x-incudal-agent-id"),
                                beat.problem().orElse("accepted")))
                .collect(Collectors.joining()));
  }

  private static String line(ReferencePanel.Beat beat) {
    var status = beat.body().getJsonObject("upgradeStatus");
    String upgrade =
        status == null
            ? ""
            : " upgrade=%s to=%s reason=\"%s\""
                .formatted(
                    status.getString("phase"),
                    status.getString("version"),
                    status.getString("reason"));
    return "%tT at=%s %s %s%s%n"
        .formatted(
            beat.at().atZone(ZoneOffset.UTC),
            beat.reached(),
            beat.problem().orElse("accepted"),
            beat.body().getString("version"),
            upgrade);
  }

  private void requests(RoutingContext context) {
    context.json(new JsonArray(panel.requests()));
  }

  private static String parameter(RoutingContext context, String name) {
    return context.request().getParam(name, "");
  }

  private static void text(RoutingContext context, String text) {
    context.response().end(text + "\n");
  }
}
