package io.incudal.agent.panel.reference;

import io.vertx.core.Vertx;
import io.vertx.core.http.HttpServerOptions;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * The reference panel as a process of its own, on all addresses: {@code DIRECTORY NAME PORT
 * INSTALL-SCRIPT}. Its certificate, and the file {@code url}, which tells that it is ready, are put
 * into the directory.
 */
public final class ReferencePanelMain {
  private ReferencePanelMain() {}

  public static void main(String[] arguments) throws Exception {
    Path directory = Files.createDirectories(Path.of(arguments[0]));
    SelfSignedCertificate certificate = SelfSignedCertificate.make(directory);
    var everywhere =
        new HttpServerOptions().setHost("0.0.0.0").setPort(Integer.parseInt(arguments[2]));
    ReferencePanel panel =
        ReferencePanel.start(Vertx.vertx(), certificate, everywhere, arguments[1]).await();
    panel.installScript(Path.of(arguments[3]));
    Files.writeString(directory.resolve("url"), panel.url() + "\n");
  }
}
