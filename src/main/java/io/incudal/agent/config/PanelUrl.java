package io.incudal.agent.config;

import static io.incudal.agent.config.Formats.require;

import java.net.URI;
import java.net.URISyntaxException;
import java.util.Locale;
import java.util.regex.Pattern;

/** The rules for the panel's address, and for others that have to be safe. */
final class PanelUrl {
  static final Format<URI> FORMAT = new Format<>(false, PanelUrl::parse);

  private static final Pattern LOOPBACK =
      Pattern.compile("localhost|127(?:\\.[0-9]{1,3}){3}|\\[(?:::1|(?:0{1,4}:){7}0{0,3}1)]");

  private PanelUrl() {}

  /** Drops slashes at the end, and folds the scheme and the host. */
  static URI parse(String text) {
    String form = "has to be an absolute https URL without user, query and fragment";
    try {
      URI url = safe(text.replaceAll("/+$", ""), form);
      require(url.getRawQuery() == null, form);
      String scheme = url.getScheme().toLowerCase(Locale.ROOT);
      String host = url.getHost().toLowerCase(Locale.ROOT);
      return new URI(scheme, null, host, url.getPort(), url.getPath(), null, null);
    } catch (URISyntaxException broken) {
      throw new IllegalArgumentException(form, broken);
    }
  }

  /** A URL as it is given, of https, or of http to a loopback address. */
  static URI safe(String text, String form) {
    try {
      URI url = new URI(text);
      require(url.getScheme() != null && url.getHost() != null, form);
      require(url.getRawUserInfo() == null && url.getRawFragment() == null, form);
      String scheme = url.getScheme().toLowerCase(Locale.ROOT);
      require(scheme.equals("https") || scheme.equals("http"), form);
      require(url.getPort() != 0 && url.getPort() <= 65_535, form);
      require(
          scheme.equals("https")
              || LOOPBACK.matcher(url.getHost().toLowerCase(Locale.ROOT)).matches(),
          "has to be https; plain http goes only to a loopback address");
      return url;
    } catch (URISyntaxException broken) {
      throw new IllegalArgumentException(form, broken);
    }
  }
}
