package io.incudal.agent.target.lio;

import io.vertx.core.json.Json;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/**
 * The scripts that work on LIO inside the container, each kept as a resource that says what it
 * does. They are fixed texts; what varies reaches them as arguments and is never evaluated.
 */
enum Script {
  LIST("list.sh", Language.SHELL),
  PROBE("probe.sh", Language.SHELL),
  EXPORT("export.sh", Language.SHELL),
  REFUSE("refuse.sh", Language.SHELL),
  ADMIT("admit.sh", Language.SHELL),
  REMOVE("remove.sh", Language.SHELL),
  SAVED("lio-saved", Language.PYTHON);

  /** The arguments of a tool session hold no newline: a script travels on one line. */
  private static final String SHELL_LAUNCHER =
      "_script=$1; shift; eval \"$(printf %b \"$_script\")\"";

  private static final String PYTHON_LAUNCHER =
      "import json, sys; exec(json.loads(sys.argv.pop(1)))";

  /** The interpreter of {@code targetcli} is the one that has its library. */
  private static final String PYTHON =
      "t=$(command -v targetcli) && IFS= read -r p <\"$t\" || { echo 'targetcli is not installed"
          + " here' >&2; exit 127; }; case $p in '#!'*python*) p=${p#??} ;; *) p=python3 ;; esac;"
          + " exec $p -c \"$@\"";

  private enum Language {
    SHELL,
    PYTHON
  }

  private final String text;
  private final Language language;

  Script(String resource, Language language) {
    this.text = read(resource);
    this.language = language;
  }

  /** The argument vector that runs it. */
  List<String> step(List<String> arguments) {
    List<String> step = new ArrayList<>(List.of("sh", "-c"));
    switch (language) {
      case SHELL -> step.addAll(List.of(SHELL_LAUNCHER, "sh", escaped(text)));
      case PYTHON -> step.addAll(List.of(PYTHON, "sh", PYTHON_LAUNCHER, Json.encode(text)));
    }
    step.addAll(arguments);
    return step;
  }

  private static String escaped(String text) {
    return text.replace("\\", "\\\\").replace("\n", "\\n");
  }

  private static String read(String resource) {
    try (InputStream in = Script.class.getResourceAsStream(resource)) {
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException unreadable) {
      throw new UncheckedIOException(unreadable);
    }
  }
}
