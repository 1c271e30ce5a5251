package io.incudal.agent.panel;

import io.incudal.agent.upgrade.UpgradeMessages;
import io.vertx.core.MultiMap;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.json.DecodeException;
import io.vertx.core.json.JsonObject;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.format.DateTimeFormatter;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.regex.Pattern;

/**
 * Makes an outcome of a panel's answer. Pure. Believes nothing that it cannot read, and repeats no
 * text of the answer but a code of the expected form, so that no log line can be forged.
 */
final class PanelAnswer {
  private static final Pattern CODE = Pattern.compile("[A-Z][A-Z0-9_]{2,63}");
  private static final Pattern SECONDS = Pattern.compile("\\d{1,9}");

  private PanelAnswer() {}

  static BeatOutcome parse(int status, MultiMap headers, Buffer body) {
    Optional<JsonObject> json = json(body);
    if (status >= 200 && status <= 299) {
      // An empty body is an answer without an upgrade; a page of HTML is no answer of a panel.
      return body.length() == 0 || json.isPresent()
          ? new BeatOutcome.Accepted(json.flatMap(PanelAnswer::offer))
          : new BeatOutcome.Unreachable("the answer is not JSON; is panel_url the panel's?");
    }
    Optional<Instant> date = date(headers.get(HttpHeaders.DATE));
    return new BeatOutcome.Refused(
        status,
        json.flatMap(answer -> text(answer, "code")).filter(code -> CODE.matcher(code).matches()),
        date,
        retryAfter(headers.get(HttpHeaders.RETRY_AFTER), date));
  }

  private static Optional<JsonObject> json(Buffer body) {
    try {
      return Optional.of(new JsonObject(body));
    } catch (DecodeException | ClassCastException noObject) {
      return Optional.empty();
    }
  }

  private static Optional<UpgradeMessages.Offer> offer(JsonObject answer) {
    if (!(answer.getValue("upgrade") instanceof JsonObject upgrade)
        || !Boolean.TRUE.equals(upgrade.getValue("available"))) {
      return Optional.empty();
    }
    return Optional.of(
        new UpgradeMessages.Offer(
            text(upgrade, "version").orElse(""),
            text(upgrade, "url").orElse(""),
            text(upgrade, "sha256").orElse(""),
            Boolean.TRUE.equals(upgrade.getValue("gzip")),
            upgrade.getValue("size") instanceof Number size
                ? OptionalLong.of(size.longValue())
                : OptionalLong.empty()));
  }

  private static Optional<String> text(JsonObject object, String member) {
    return object.getValue(member) instanceof String text ? Optional.of(text) : Optional.empty();
  }

  private static Optional<Instant> date(String header) {
    try {
      return Optional.ofNullable(header)
          .map(text -> Instant.from(DateTimeFormatter.RFC_1123_DATE_TIME.parse(text)));
    } catch (DateTimeException unreadable) {
      return Optional.empty();
    }
  }

  /** Seconds, or a date; a date counts from the panel's own clock, which may not be ours. */
  private static Optional<Duration> retryAfter(String header, Optional<Instant> now) {
    if (header != null && SECONDS.matcher(header).matches()) {
      return Optional.of(Duration.ofSeconds(Long.parseLong(header)));
    }
    return date(header)
        .flatMap(then -> now.map(from -> Duration.between(from, then)))
        .filter(wait -> !wait.isNegative());
  }
}
