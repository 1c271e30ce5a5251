package io.incudal.agent.config;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.stream.Stream;

/** Builds the records out of the settings, role by role, and checks what spans several settings. */
final class ConfigBinding {
  private static final long MAX_TOKEN_FILE = 64 * 1024;

  private final NodeSettings node = new NodeSettings();
  private final PanelSettings panel = new PanelSettings();
  private final LogSettings log = new LogSettings();
  private final RawConfig raw;
  private final Binder binder;

  ConfigBinding(RawConfig raw) {
    this.raw = raw;
    this.binder = new Binder(raw);
  }

  /** Every setting that there is. */
  static List<Setting<?>> settings() {
    return Stream.of(new NodeSettings().all(), new LogSettings().all(), new PanelSettings().all())
        .<Setting<?>>flatMap(List::stream)
        .toList();
  }

  /** The same as text, for the help of the command line: name, default, what it is. */
  static String reference() {
    var text = new StringBuilder();
    for (Setting<?> row : settings()) {
      String fallback = row.fallback().map(usual -> " [" + usual + "]").orElse("");
      text.append(
          String.format("  %s (%s)%s%n      %s%n", row.name(), row.path(), fallback, row.doc()));
    }
    return text.toString();
  }

  LoadedConfig bind() throws ConfigException {
    List<Setting<?>> settings = settings();
    raw.problems(settings).forEach(binder::problem);
    boolean nodeRuns = raw.namesNode(node.all(), log.all());
    boolean panelRuns = raw.find(panel.url).isPresent();
    if (!nodeRuns && !panelRuns) {
      binder.problem(
          "nothing to do: set IPXE_AGENT_TOKEN (or a section 'ipxe') for the Agent API,"
              + " INCUDAL_PANEL_URL (or 'panel_url') for the heartbeat, or both");
    }
    var config =
        new AgentConfig(
            nodeRuns ? Optional.of(node()) : Optional.empty(),
            panelRuns ? Optional.of(panel()) : Optional.empty(),
            new LogConfig(
                binder.required(log.format),
                binder.required(log.level),
                binder.optional(log.levelsFile)));
    if (!binder.problems().isEmpty()) {
      throw new ConfigException(binder.problems());
    }
    return new LoadedConfig(config, raw.warnings(settings), binder.effective());
  }

  private NodeConfig node() {
    Optional<JwtConfig> jwt = new JwtBinding(node, raw, binder).bind();
    return new NodeConfig(
        new HttpConfig(binder.required(node.host), binder.required(node.port), tls()),
        token(jwt.isPresent()),
        jwt,
        binder.required(node.iqnBase),
        backend(),
        images(),
        binder.required(node.auditFile),
        new QueueConfig(binder.required(node.queuePerTarget), binder.required(node.queueTotal)),
        binder.required(node.stopTimeout));
  }

  /** Whether the files can be used is found out when they are read, and again when they change. */
  private Optional<TlsConfig> tls() {
    Optional<Path> clientCa = binder.optional(node.tlsClientCa);
    if (Stream.of(node.tlsCertificate, node.tlsKey, node.tlsClientCa)
        .allMatch(setting -> raw.find(setting).isEmpty())) {
      return Optional.empty();
    }
    return Optional.of(
        new TlsConfig(
            binder.required(node.tlsCertificate), binder.required(node.tlsKey), clientCa));
  }

  private BackendConfig backend() {
    return new BackendConfig(
        binder.required(node.backend),
        binder.required(node.executor),
        binder.required(node.container),
        binder.required(node.dockerHost),
        binder.required(node.commandTimeout),
        binder.optional(node.tgtControlPort).orElse(OptionalInt.empty()),
        binder.required(node.lioWriteBack),
        binder.required(node.deleteInUse));
  }

  private ImageConfig images() {
    Path directory = binder.required(node.diskDirectory);
    if (directory != null && directory.toString().contains(",")) {
      binder.problem(node.diskDirectory.name() + ": may hold no comma, which tgtadm cuts paths at");
    }
    return new ImageConfig(
        directory,
        binder.required(node.maxDiskBytes),
        binder.required(node.mastersInterval),
        binder.required(node.parallelCopies));
  }

  /**
   * @param optional whether callers can get in without one
   */
  private TokenConfig token(boolean optional) {
    boolean asValue = raw.find(node.token).isPresent();
    boolean asFile = raw.find(node.tokenFile).isPresent();
    if (asValue && asFile) {
      binder.problem(
          node.token.name() + ": is set beside " + node.tokenFile.name() + "; keep one of them");
    }
    Optional<Path> file = binder.optional(node.tokenFile);
    file.ifPresent(this::checkTokenFile);
    if (optional && !asValue && !asFile && raw.find(node.previousToken).isPresent()) {
      binder.problem(node.previousToken.name() + ": there is no token that it comes before");
    }
    Optional<Secret> value =
        asFile || optional
            ? binder.optional(node.token)
            : Optional.ofNullable(binder.required(node.token));
    return new TokenConfig(value, file, binder.optional(node.previousToken));
  }

  private void checkTokenFile(Path file) {
    try {
      Formats.require(Files.size(file) <= MAX_TOKEN_FILE, "is too large for a token");
      TokenText.parse(Files.readString(file));
    } catch (IOException unreadable) {
      binder.problem(node.tokenFile.name() + ": the file cannot be read");
    } catch (IllegalArgumentException unusable) {
      binder.problem(node.tokenFile.name() + ": the token in the file " + unusable.getMessage());
    }
  }

  private PanelConfig panel() {
    Optional<Path> caFile = binder.optional(panel.caFile);
    if (caFile.isPresent() && !Files.isReadable(caFile.get())) {
      binder.problem(panel.caFile.name() + ": the file cannot be read");
    }
    return new PanelConfig(
        binder.required(panel.url),
        binder.required(panel.agentId),
        binder.required(panel.agentSecret),
        binder.required(panel.interval),
        binder.required(panel.requestTimeout),
        caFile,
        new HostConfig(binder.required(panel.hostProc), binder.required(panel.hostRoot)),
        new UpgradeConfig(
            binder.required(panel.upgradeMaxDelay),
            binder.required(panel.upgradeWatch),
            binder.optional(panel.binary),
            binder.required(panel.stateDirectory),
            binder.required(panel.service)));
  }
}
