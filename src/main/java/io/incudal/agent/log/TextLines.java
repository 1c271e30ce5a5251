package io.incudal.agent.log;

import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.spi.ThrowableProxyUtil;
import io.incudal.agent.bus.LogTag;
import java.util.function.UnaryOperator;

/**
 * Lines for people: time, level, source, request and target where there are any, message. A message
 * cannot break out of its line, whatever a client put into it; a stack trace follows in lines of
 * its own.
 */
final class TextLines {
  private TextLines() {}

  static String line(ILoggingEvent event, UnaryOperator<String> mask) {
    var line = new StringBuilder(160).append(LineEncoder.time(event));
    line.append(' ').append(String.format("%-5s", event.getLevel()));
    line.append(' ').append(LineEncoder.source(event));
    for (LogTag tag : LogTag.values()) {
      String value = tag.current();
      if (value != null) {
        line.append(' ').append(tag.label()).append('=').append(mask.apply(value));
      }
    }
    escape(mask.apply(event.getFormattedMessage()), line.append(" - "));
    line.append('\n');
    if (event.getThrowableProxy() != null) {
      line.append(mask.apply(ThrowableProxyUtil.asString(event.getThrowableProxy())));
    }
    return line.toString();
  }

  private static void escape(String message, StringBuilder line) {
    for (int i = 0; i < message.length(); i++) {
      char c = message.charAt(i);
      if (Character.isISOControl(c) || c == '\u2028' || c == '\u2029') {
        line.append(String.format("\\u%04x", (int) c));
      } else {
        line.append(c);
      }
    }
  }
}
