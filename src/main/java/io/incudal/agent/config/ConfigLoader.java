package io.incudal.agent.config;

import io.vertx.config.ConfigRetriever;
import io.vertx.config.ConfigRetrieverOptions;
import io.vertx.config.ConfigStoreOptions;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.json.JsonObject;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Reads the configuration once, at start: built-in defaults, the YAML file, {@code .env}, the
 * environment; the last wins. The stores are explicit, because the default ones would let a file
 * override the environment, and none is optional, because vertx-config passes over a broken
 * optional store in silence.
 */
public final class ConfigLoader {
  private static final Pattern YAML_PLACE = Pattern.compile("line [0-9]+, column [0-9]+");

  private final Vertx vertx;
  private final ConfigSources sources;

  public ConfigLoader(Vertx vertx, ConfigSources sources) {
    this.vertx = vertx;
    this.sources = sources;
  }

  /** The table of settings, for the help of the command line. */
  public static String reference() {
    return ConfigBinding.reference();
  }

  /** Fails with a {@link ConfigException}. */
  public Future<LoadedConfig> load() {
    Optional<String> unreadable = unreadable();
    if (unreadable.isPresent()) {
      return Future.failedFuture(new ConfigException(List.of(unreadable.get())));
    }
    var options = new ConfigRetrieverOptions().setScanPeriod(0).setIncludeDefaultStores(false);
    sources.file().ifPresent(file -> options.addStore(file(file, "yaml")));
    if (Files.isRegularFile(sources.dotenv())) {
      options.addStore(file(sources.dotenv(), DotenvProcessor.FORMAT));
    }
    options.addStore(environment());
    ConfigRetriever retriever = ConfigRetriever.create(vertx, options);
    return retriever
        .getConfig()
        .recover(failure -> Future.failedFuture(explain(failure)))
        .map(RawConfig::new)
        .compose(ConfigLoader::bind)
        .eventually(retriever::close);
  }

  private static Future<LoadedConfig> bind(RawConfig raw) {
    try {
      return Future.succeededFuture(new ConfigBinding(raw).bind());
    } catch (ConfigException wrong) {
      return Future.failedFuture(wrong);
    }
  }

  private Optional<String> unreadable() {
    return sources
        .file()
        .filter(file -> !Files.isRegularFile(file) || !Files.isReadable(file))
        .or(
            () ->
                Optional.of(sources.dotenv())
                    .filter(file -> Files.isRegularFile(file) && !Files.isReadable(file)))
        .map(file -> "configuration file " + file + ": cannot be read");
  }

  private static ConfigStoreOptions file(Path path, String format) {
    return new ConfigStoreOptions()
        .setType("file")
        .setFormat(format)
        .setConfig(new JsonObject().put("path", path.toString()));
  }

  /** A copy of what {@link ConfigSources} holds: the store "env" knows only the process's own. */
  private ConfigStoreOptions environment() {
    var variables = new JsonObject();
    sources
        .environment()
        .forEach(
            (name, text) -> {
              if (RawConfig.concerns(name)) {
                variables.put(name, text);
              }
            });
    return new ConfigStoreOptions()
        .setType("json")
        .setConfig(new JsonObject().put(RawConfig.VARIABLES, variables));
  }

  /** The parser's own message quotes the line, which may hold a secret; only the place is told. */
  private ConfigException explain(Throwable failure) {
    String place = "";
    for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
      Matcher found = YAML_PLACE.matcher(String.valueOf(cause.getMessage()));
      while (found.find()) {
        place = " (" + found.group() + ")";
      }
    }
    String file = sources.file().map(Path::toString).orElse(sources.dotenv().toString());
    return new ConfigException(
        List.of("configuration file " + file + ": is no YAML mapping of keys to values" + place));
  }
}
