package io.incudal.agent.upgrade;

import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The file that tells the next process, and the watcher, how far an upgrade is. Written whole,
 * synced, and moved into place, so that it is the old or the new text after any crash.
 *
 * <p>Blocks; worker threads only. Whoever reads in order to write holds the {@link UpgradeLock}.
 */
final class MarkerFile {
  private static final Logger LOG = LoggerFactory.getLogger(MarkerFile.class);
  private static final String NAME = "upgrade.json";

  private final Path file;
  private final FileSteps steps;

  MarkerFile(Path stateDirectory, FileSteps steps) {
    this.file = stateDirectory.resolve(NAME);
    this.steps = steps;
  }

  /** A file that cannot be understood is kept under another name, and counts as none. */
  UpgradeRecord read() throws IOException {
    String text;
    try {
      text = Files.readString(file);
    } catch (NoSuchFileException none) {
      return UpgradeRecord.EMPTY;
    } catch (CharacterCodingException binary) {
      text = "";
    }
    try {
      return decode(new JsonObject(text));
    } catch (RuntimeException corrupt) {
      Path kept = file.resolveSibling(NAME + ".corrupt");
      LOG.error("upgrade marker cannot be read, and is put aside kept={}", kept);
      steps.rename(file, kept);
      return UpgradeRecord.EMPTY;
    }
  }

  void write(UpgradeRecord record) throws IOException {
    Path next = file.resolveSibling("." + NAME + ".new");
    steps.write(next, encode(record).encode().getBytes(StandardCharsets.UTF_8));
    steps.rename(next, file);
  }

  private static JsonObject encode(UpgradeRecord record) {
    var json = new JsonObject();
    record
        .last()
        .ifPresent(
            attempt ->
                json.put("phase", attempt.phase().word())
                    .put("version", attempt.version())
                    .put("from", attempt.from())
                    .put("sha256", attempt.sha256())
                    .put("reason", attempt.reason().orElse(null))
                    .put("at", attempt.at().toString()));
    var rejected = new JsonArray();
    for (UpgradeRecord.Rejection rejection : record.rejections()) {
      rejected.add(
          new JsonObject()
              .put("sha256", rejection.sha256())
              .put("until", rejection.until().map(Instant::toString).orElse(null)));
    }
    return json.put("rejected", rejected);
  }

  private static UpgradeRecord decode(JsonObject json) {
    Optional<UpgradeRecord.Attempt> last =
        json.containsKey("phase") ? Optional.of(attempt(json)) : Optional.empty();
    List<UpgradeRecord.Rejection> rejected =
        json.getJsonArray("rejected").stream()
            .map(JsonObject.class::cast)
            .map(
                one ->
                    new UpgradeRecord.Rejection(
                        required(one, "sha256"),
                        Optional.ofNullable(one.getString("until")).map(Instant::parse)))
            .toList();
    return new UpgradeRecord(last, rejected);
  }

  private static UpgradeRecord.Attempt attempt(JsonObject json) {
    return new UpgradeRecord.Attempt(
        UpgradePhase.valueOf(required(json, "phase").toUpperCase(Locale.ROOT)),
        required(json, "version"),
        required(json, "from"),
        required(json, "sha256"),
        Optional.ofNullable(json.getString("reason")),
        Instant.parse(required(json, "at")));
  }

  private static String required(JsonObject json, String member) {
    return Objects.requireNonNull(json.getString(member), member);
  }
}
