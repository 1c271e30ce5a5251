package io.incudal.agent.log;

import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.encoder.EncoderBase;
import io.incudal.agent.config.Secret;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import java.util.List;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;

/** Gives logback the lines of one of the two forms. Called by any thread, and stateless. */
final class LineEncoder extends EncoderBase<ILoggingEvent> {
  private static final DateTimeFormatter TIME =
      DateTimeFormatter.ofPattern("uuuu-MM-dd'T'HH:mm:ss.SSSxxx").withZone(ZoneId.systemDefault());

  private final Form form;
  private final Supplier<List<Secret>> secrets;

  LineEncoder(Form form, Supplier<List<Secret>> secrets) {
    this.form = form;
    this.secrets = secrets;
  }

  /** Makes a line, with its end, of an event. */
  interface Form {
    /**
     * @param mask to be put on every text that may come from outside
     */
    String line(ILoggingEvent event, UnaryOperator<String> mask);
  }

  @Override
  public byte[] encode(ILoggingEvent event) {
    return form.line(event, this::mask).getBytes(StandardCharsets.UTF_8);
  }

  @Override
  public byte[] headerBytes() {
    return new byte[0];
  }

  @Override
  public byte[] footerBytes() {
    return new byte[0];
  }

  private String mask(String text) {
    return Secret.mask(text, secrets.get());
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
