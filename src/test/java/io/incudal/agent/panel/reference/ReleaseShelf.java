package io.incudal.agent.panel.reference;

import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.DigestInputStream;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.time.Instant;
import java.util.HexFormat;

/** The release files that a panel hands out, one directory a version. */
final class ReleaseShelf {
  private final Path directory;
  private final String origin;

  /**
   * @param directory holds {@code incudal-agent-linux-amd64} and so on
   */
  ReleaseShelf(Path directory, String origin) {
    this.directory = directory;
    this.origin = origin;
  }

  Path file(String name) {
    return directory.resolve(Path.of(name).getFileName());
  }

  JsonObject manifest(String version) throws IOException {
    var files = new JsonObject();
    for (String arch : new String[] {"amd64", "arm64"}) {
      Path file = find(arch);
      if (file != null) {
        files.put(
            "linux-" + arch,
            new JsonObject()
                .put("name", file.getFileName().toString())
                .put("sha256", sha256(file))
                .put("size", Files.size(file))
                .put("gzip", file.toString().endsWith(".gz")));
      }
    }
    return new JsonObject()
        .put("version", version)
        .put("generatedAt", Instant.now().toString())
        .put("files", files);
  }

  /** {@code upgrade} of a heartbeat's answer. */
  JsonObject offer(String version, String arch) throws IOException {
    Path file = find(arch);
    return new JsonObject()
        .put("available", true)
        .put("version", version)
        .put("url", origin + "/api/agent/binary/" + file.getFileName() + "?v=" + version)
        .put("sha256", sha256(file))
        .put("gzip", file.toString().endsWith(".gz"))
        .put("size", Files.size(file));
  }

  private Path find(String arch) {
    Path plain = directory.resolve("incudal-agent-linux-" + arch);
    Path packed = directory.resolve("incudal-agent-linux-" + arch + ".gz");
    return Files.exists(plain) ? plain : Files.exists(packed) ? packed : null;
  }

  static String sha256(Path file) throws IOException {
    try {
      MessageDigest digest = MessageDigest.getInstance("SHA-256");
      try (var in = new DigestInputStream(Files.newInputStream(file), digest)) {
        in.transferTo(java.io.OutputStream.nullOutputStream());
      }
      return HexFormat.of().formatHex(digest.digest());
    } catch (GeneralSecurityException impossible) {
      throw new IllegalStateException(impossible);
    }
  }
}
