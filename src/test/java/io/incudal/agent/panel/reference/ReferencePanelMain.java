package io.incudal.agent.panel.reference;

import io.vertx.core.Vertx;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * The reference panel as a process of its own: {@code DIRECTORY HOST PORT INSTALL-SCRIPT
 * [NAME...]}. Its certificate, also for the further names (such as {@code ip:10.0.0.1}), and the
 * file {@code url}, which tells that it is ready, are put into the directory.
 */
public final class ReferencePanelMain {
  private ReferencePanelMain() {}

  public static void main(String[] arguments) throws Exception {
    Path directory = Files.createDirectories(Path.of(arguments[0]));
    String[] names = java.util.Arrays.copyOfRange(arguments, 4, arguments.length);
    SelfSignedCertificate certificate = SelfSignedCertificate.make(directory, names);
    ReferencePanel panel =
        ReferencePanel.start(
                Vertx.vertx(), certificate, arguments[1], Integer.parseInt(arguments[2]))
            .await();
    panel.installScript(Path.of(arguments[3]));
    Files.writeString(
        directory.resolve("url"), "https://" + arguments[1] + ":" + panel.port() + "\n");
  }
}
