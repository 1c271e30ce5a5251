package io.incudal.agent.config;

import static io.incudal.agent.config.Formats.absolutePath;
import static io.incudal.agent.config.Formats.choice;
import static io.incudal.agent.config.Formats.flag;
import static io.incudal.agent.config.Formats.integer;
import static io.incudal.agent.config.Formats.lowerCase;
import static io.incudal.agent.config.Formats.optionalInteger;
import static io.incudal.agent.config.Formats.seconds;
import static io.incudal.agent.config.Formats.size;
import static io.incudal.agent.config.Formats.text;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;

/** The settings of the Agent API, one line each; to add one, add its line and bind it. */
final class NodeSettings {
  private static final int MAX_PORT = 65_535;
  private static final int MIN_HS256 = 32;
  private static final String IQN_LABEL = "[a-z0-9](?:[a-z0-9-]*[a-z0-9])?";
  private static final String IQN_BASE =
      "(?=.{1,190}$)iqn\\.[0-9]{4}-(?:0[1-9]|1[0-2])\\."
          + IQN_LABEL
          + "(?:\\."
          + IQN_LABEL
          + ")*"
          + "(?::[a-z0-9.:-]*[a-z0-9.-])?";

  private final SettingTable table = new SettingTable();

  final Setting<String> host =
      table.add(
          "IPXE_AGENT_HOST",
          "0.0.0.0",
          text("[A-Za-z0-9.:%_-]{1,253}", "a host name or an IP address"),
          "address that the Agent API listens on");
  final Setting<Integer> port =
      table.add("IPXE_AGENT_PORT", "4840", integer(0, MAX_PORT), "its port; 0 takes a free one");
  final Setting<Path> tlsCertificate =
      table.add(
          "IPXE_TLS_CERT",
          absolutePath(),
          "PEM file with the certificate and its chain; turns TLS on; read again when it changes");
  final Setting<Path> tlsKey =
      table.add(
          "IPXE_TLS_KEY", absolutePath(), "PEM file with its private key, RSA or EC, unencrypted");
  final Setting<Path> tlsClientCa =
      table.add(
          "IPXE_TLS_CLIENT_CA",
          absolutePath(),
          "PEM file with CAs; callers need a client certificate of one, beside the token");
  final Setting<Secret> token =
      table.add(
          "IPXE_AGENT_TOKEN",
          TokenText.FORMAT,
          "bearer token that callers show; needed, unless it stands in a file or JWTs are on");
  final Setting<Path> tokenFile =
      table.add(
          "IPXE_AGENT_TOKEN_FILE",
          absolutePath(),
          "file that holds the token instead; read again when it changes");
  final Setting<Secret> previousToken =
      table.add(
          "IPXE_AGENT_TOKEN_PREVIOUS",
          TokenText.FORMAT,
          "token that is accepted as well while callers move to a new one");
  final Setting<Path> jwtPublicKeyFile =
      table.add(
          "IPXE_JWT_PUBLIC_KEY_FILE",
          absolutePath(),
          "PEM file with the key that verifies JWTs; turns them on, as the next two do");
  final Setting<JwtConfig.KeySource> jwtJwks =
      table.add(
          "IPXE_JWT_JWKS",
          new Format<>(false, NodeSettings::jwks),
          "JWKS with such keys: an absolute path, or the issuer's https URL");
  final Setting<Secret> jwtSecret =
      table.add(
          "IPXE_JWT_SECRET",
          new Format<>(false, NodeSettings::jwtSecret),
          "secret shared with the issuer (HS256), at least 32 characters");
  final Setting<String> jwtIssuer =
      table.add("IPXE_JWT_ISSUER", claim(), "the iss that JWTs have to have; needed with a key");
  final Setting<String> jwtAudience =
      table.add("IPXE_JWT_AUDIENCE", claim(), "what has to be in their aud; needed with a key");
  final Setting<Duration> jwtLeeway =
      table.add(
          "IPXE_JWT_LEEWAY_SECONDS",
          "30",
          seconds(0, 300),
          "how far the issuer's clock and this one may be apart");
  final Setting<Duration> jwtRefresh =
      table.add(
          "IPXE_JWT_JWKS_REFRESH_SECONDS",
          "300",
          seconds(10, 86_400),
          "time from one look at the JWKS URL to the next");
  final Setting<String> iqnBase =
      table.add(
          "IPXE_IQN_BASE",
          "iqn.2026-07.com.controller",
          lowerCase(
              IQN_BASE, "of the form iqn.<year>-<month>.<reversed domain>, no colon at its end"),
          "what every target name begins with, before its colon");
  final Setting<BackendConfig.Kind> backend =
      table.add(
          "IPXE_BACKEND",
          "stgt",
          choice(Map.of("stgt", BackendConfig.Kind.STGT, "lio", BackendConfig.Kind.LIO)),
          "target daemon: stgt or lio");
  final Setting<BackendConfig.Executor> executor =
      table.add(
          "IPXE_EXECUTOR",
          "docker",
          choice(
              Map.of(
                  "docker", BackendConfig.Executor.DOCKER, "local", BackendConfig.Executor.LOCAL)),
          "where its tools run: docker (in the container) or local (beside the agent)");
  final Setting<String> container =
      table.add(
          "IPXE_ISCSI_CONTAINER",
          "iscsi",
          text("[A-Za-z0-9][A-Za-z0-9_.-]*", "a container's name or id"),
          "exact name of the iSCSI container");
  final Setting<String> dockerHost =
      table.add(
          "IPXE_DOCKER_HOST",
          "unix:///var/run/docker.sock",
          text("unix:///\\S+|tcp://[^\\s/]+:[0-9]{1,5}/?", "unix:///<path> or tcp://<host>:<port>"),
          "Docker engine; DOCKER_HOST is taken when this is not set");
  final Setting<Path> diskDirectory =
      table.add(
          "IPXE_DISK_DIR",
          "/home/iscsi_img",
          absolutePath(),
          "image directory; the container has to see it under the same path");
  final Setting<Path> auditFile =
      table.add(
          "IPXE_LOG_FILE",
          "/var/log/ipxe-agent/ops.jsonl",
          absolutePath(),
          "audit log, JSON Lines; the last id is kept beside it");
  final Setting<Duration> commandTimeout =
      table.add(
          "IPXE_COMMAND_TIMEOUT_SECONDS", "30", seconds(1, 3600), "limit of one tool command");
  final Setting<OptionalInt> tgtControlPort =
      table.add(
          "IPXE_TGT_CONTROL_PORT",
          optionalInteger(0, MAX_PORT),
          "stgt: control port of tgtd (tgtadm -C)");
  final Setting<Boolean> lioWriteBack =
      table.add(
          "IPXE_LIO_WRITE_BACK",
          "true",
          flag(),
          "lio: acknowledge writes from the page cache; false is slower, and safe on power loss");
  final Setting<Boolean> deleteInUse =
      table.add(
          "IPXE_DELETE_IN_USE",
          "refuse",
          choice(Map.of("refuse", false, "force", true)),
          "delete of a target in use without force=true: refuse or force");
  final Setting<Duration> mastersInterval =
      table.add(
          "IPXE_MASTERS_INTERVAL_SECONDS",
          "30",
          seconds(1, 86_400),
          "time from one look at the master images to the next");
  final Setting<Long> maxDiskBytes =
      table.add("IPXE_MAX_DISK_BYTES", "16T", size(), "largest disk that may be created");
  final Setting<Integer> parallelCopies =
      table.add(
          "IPXE_PARALLEL_COPIES",
          "4",
          integer(1, 64),
          "full copies of masters side by side; further ones wait");
  final Setting<Integer> queuePerTarget =
      table.add(
          "IPXE_QUEUE_PER_TARGET",
          "16",
          integer(1, 100_000),
          "operations of one IQN that may wait or run; more are refused as overloaded");
  final Setting<Integer> queueTotal =
      table.add(
          "IPXE_QUEUE_TOTAL", "1024", integer(1, 1_000_000), "operations of all IQNs together");
  final Setting<Duration> stopTimeout =
      table.add(
          "IPXE_STOP_TIMEOUT_SECONDS",
          "30",
          seconds(1, 3600),
          "time that running operations get to end when the agent stops");

  List<Setting<?>> all() {
    return table.rows();
  }

  private static Format<String> claim() {
    return text("[!-~]{1,255}", "up to 255 printable ASCII characters, and no blanks");
  }

  private static JwtConfig.KeySource jwks(String text) {
    if (text.startsWith("/")) {
      return new JwtConfig.JwksFile(absolutePath().read(text));
    }
    return new JwtConfig.JwksUrl(
        PanelUrl.safe(text, "has to be an absolute path, or an absolute https URL"));
  }

  private static Secret jwtSecret(String text) {
    Secret secret = TokenText.parse(text);
    // RFC 7518, 3.2: a key of at least the size of the hash.
    Formats.require(secret.bytes().length >= MIN_HS256, "has to have at least 32 characters");
    return secret;
  }
}
