package io.incudal.agent.panel.reference;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.util.Base64;
import java.util.List;

/**
 * A key and a certificate for loopback names, made with the JDK's keytool.
 *
 * @param keyStore PKCS12, opened with {@link #PASSWORD}
 * @param pem what a client has to trust
 */
public record SelfSignedCertificate(Path keyStore, Path pem) {
  public static final String PASSWORD = "loopback";
  private static final String NAMES = "dns:localhost,dns:panel.test,ip:127.0.0.1,ip:::1";

  public static SelfSignedCertificate make(Path directory)
      throws IOException, InterruptedException {
    Path store = directory.resolve("panel.p12");
    Path pem = directory.resolve("panel-ca.pem");
    run(
        List.of(
            Path.of(System.getProperty("java.home"), "bin", "keytool").toString(),
            "-genkeypair",
            "-alias",
            "panel",
            "-keyalg",
            "EC",
            "-groupname",
            "secp256r1",
            "-dname",
            "CN=reference panel",
            "-validity",
            "30",
            "-ext",
            "san=" + NAMES,
            "-ext",
            "bc=ca:true",
            "-storetype",
            "PKCS12",
            "-storepass",
            PASSWORD,
            "-keystore",
            store.toString()));
    Files.writeString(pem, pem(store));
    return new SelfSignedCertificate(store, pem);
  }

  private static void run(List<String> command) throws IOException, InterruptedException {
    Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
    String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    if (process.waitFor() != 0) {
      throw new IOException("keytool: " + output);
    }
  }

  private static String pem(Path store) throws IOException {
    try {
      KeyStore keys = KeyStore.getInstance("PKCS12");
      keys.load(new ByteArrayInputStream(Files.readAllBytes(store)), PASSWORD.toCharArray());
      byte[] der = keys.getCertificate("panel").getEncoded();
      String lines = Base64.getMimeEncoder(64, new byte[] {'\n'}).encodeToString(der);
      return "-----BEGIN CERTIFICATE-----\n" + lines + "\n-----END CERTIFICATE-----\n";
    } catch (GeneralSecurityException broken) {
      throw new IOException(broken);
    }
  }
}
