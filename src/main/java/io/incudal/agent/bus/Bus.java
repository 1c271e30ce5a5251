package io.incudal.agent.bus;

import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.eventbus.DeliveryOptions;
import io.vertx.core.eventbus.Message;
import io.vertx.core.eventbus.MessageConsumer;
import io.vertx.core.eventbus.ReplyException;
import java.time.Duration;
import java.util.function.Consumer;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The only door to the event bus: typed requests with a deadline, typed events, and the only place
 * that replies, exactly once.
 *
 * <p>Thread-safe; handlers run on the context of the verticle that registered them.
 */
public final class Bus {
  private static final Logger LOG = LoggerFactory.getLogger(Bus.class);

  private final Vertx vertx;

  private Bus(Vertx vertx) {
    this.vertx = vertx;
  }

  /** Registers the codec of {@link AgentMessage}s. Called once for each Vert.x instance. */
  public static Bus install(Vertx vertx) {
    var codec = new IdentityCodec();
    vertx
        .eventBus()
        .registerCodec(codec)
        .codecSelector(body -> body instanceof AgentMessage ? codec.name() : null);
    return new Bus(vertx);
  }

  /** A handler's place on the bus. */
  public interface Registration {
    /** Completes when no further message will come. */
    Future<Void> unregister();
  }

  /**
   * Answers the requests of one address. A handler that throws or fails with anything but an {@link
   * AgentException} is answered with {@link ErrorCode#INTERNAL}.
   */
  public <Q extends Request<?>> Registration serve(
      String address, Class<Q> type, Function<Q, Future<? extends AgentMessage>> handler) {
    MessageConsumer<Object> consumer =
        vertx.eventBus().localConsumer(address, message -> answer(message, type, handler));
    return consumer::unregister;
  }

  /**
   * Sends a request and waits for its reply, at most for {@code limit}. Fails with an {@link
   * AgentException}: the server's own, {@link ErrorCode#STOPPING} when nobody serves the address,
   * or {@link ErrorCode#TIMEOUT}.
   */
  public <R extends AgentMessage> Future<R> request(
      String address, Request<R> request, Duration limit) {
    var options = new DeliveryOptions().setLocalOnly(true).setSendTimeout(limit.toMillis());
    for (LogTag tag : LogTag.values()) {
      String value = tag.current();
      if (value != null) {
        options.addHeader(tag.label(), value);
      }
    }
    return vertx
        .eventBus()
        .<R>request(address, request, options)
        .map(Message::body)
        .recover(failure -> Future.failedFuture(translate(failure)));
  }

  /** Tells all listeners of one address. */
  public void publish(String address, AgentMessage event) {
    vertx.eventBus().publish(address, event, new DeliveryOptions().setLocalOnly(true));
  }

  /** Listens to the events of one address. */
  public <E extends AgentMessage> Registration listen(
      String address, Class<E> type, Consumer<E> handler) {
    MessageConsumer<Object> consumer =
        vertx
            .eventBus()
            .localConsumer(address, message -> handler.accept(type.cast(message.body())));
    return consumer::unregister;
  }

  private static <Q extends Request<?>> void answer(
      Message<Object> message, Class<Q> type, Function<Q, Future<? extends AgentMessage>> handler) {
    for (LogTag tag : LogTag.values()) {
      tag.bind(message.headers().get(tag.label()));
    }
    Future<? extends AgentMessage> outcome;
    try {
      outcome = handler.apply(type.cast(message.body()));
    } catch (Throwable unexpected) {
      outcome = Future.failedFuture(unexpected);
    }
    outcome
        .onSuccess(message::reply)
        .onFailure(failure -> message.reply(asAgentException(failure)));
  }

  private static AgentException translate(Throwable failure) {
    if (failure instanceof ReplyException reply && !(failure instanceof AgentException)) {
      return switch (reply.failureType()) {
        case TIMEOUT ->
            new AgentException(
                ErrorCode.TIMEOUT,
                "the operation did not end in time and may still be running; look at its result"
                    + " before repeating it",
                failure);
        case NO_HANDLERS ->
            new AgentException(ErrorCode.STOPPING, "the agent is starting or stopping", failure);
        default -> asAgentException(failure);
      };
    }
    return asAgentException(failure);
  }

  private static AgentException asAgentException(Throwable failure) {
    if (failure instanceof AgentException known) {
      return known;
    }
    LOG.error("unexpected failure", failure);
    return new AgentException(
        ErrorCode.INTERNAL, "internal error; the agent's log has the details", failure);
  }
}
