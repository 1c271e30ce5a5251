package io.incudal.agent.log;

import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.encoder.EncoderBase;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import java.util.function.Function;

/** Gives logback the lines of one of the two forms. Called by any thread, and stateless. */
final class LineEncoder extends EncoderBase<ILoggingEvent> {
  private static final DateTimeFormatter TIME =
      DateTimeFormatter.ofPattern("uuuu-MM-dd'T'HH:mm:ss.SSSxxx").withZone(ZoneId.systemDefault());

  private final Function<ILoggingEvent, String> form;

  LineEncoder(Function<ILoggingEvent, String> form) {
    this.form = form;
  }

  @Override
  public byte[] encode(ILoggingEvent event) {
    return form.apply(event).getBytes(StandardCharsets.UTF_8);
  }

  @Override
  public byte[] headerBytes() {
    return new byte[0];
  }

  @Override
  public byte[] footerBytes() {
    return new byte[0];
  }

  static String time(ILoggingEvent event) {
    return TIME.format(Instant.ofEpochMilli(event.getTimeStamp()));
  }

  /** The class, without the package that everything shares. */
  static String source(ILoggingEvent event) {
    String name = event.getLoggerName();
    return name.substring(name.lastIndexOf('.') + 1);
  }
}
