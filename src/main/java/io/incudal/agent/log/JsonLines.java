package io.incudal.agent.log;

import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.spi.ThrowableProxyUtil;
import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import io.incudal.agent.bus.LogTag;
import java.io.IOException;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.util.function.UnaryOperator;

/** Lines for machines: one JSON object an event, stack trace included. */
final class JsonLines {
  private static final JsonFactory JSON = new JsonFactory();

  private JsonLines() {}

  static String line(ILoggingEvent event, UnaryOperator<String> mask) {
    var line = new StringWriter(256);
    try (JsonGenerator json = JSON.createGenerator(line)) {
      json.writeStartObject();
      json.writeStringField("time", LineEncoder.time(event));
      json.writeStringField("level", event.getLevel().toString());
      json.writeStringField("source", LineEncoder.source(event));
      for (LogTag tag : LogTag.values()) {
        String value = tag.current();
        if (value != null) {
          json.writeStringField(tag.label(), mask.apply(value));
        }
      }
      json.writeStringField("message", mask.apply(event.getFormattedMessage()));
      if (event.getThrowableProxy() != null) {
        json.writeStringField(
            "stack", mask.apply(ThrowableProxyUtil.asString(event.getThrowableProxy())));
      }
      json.writeEndObject();
    } catch (IOException impossible) {
      throw new UncheckedIOException("a string writer does no I/O", impossible);
    }
    return line.append('\n').toString();
  }
}
