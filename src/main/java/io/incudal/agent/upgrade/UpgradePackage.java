package io.incudal.agent.upgrade;

import io.incudal.agent.support.Origin;
import java.net.URI;
import java.net.URISyntaxException;
import java.util.Locale;
import java.util.OptionalLong;
import java.util.regex.Pattern;

/**
 * An offer that passed every check that needs no network. Its URL leads to the panel's own origin.
 *
 * @param sha256 lower-case hex, of the file as it is downloaded
 */
record UpgradePackage(String version, URI url, String sha256, boolean gzip, OptionalLong size) {
  static final long MAX_DOWNLOAD = 64L << 20;

  private static final Pattern VERSION =
      Pattern.compile("v(0|[1-9]\\d{0,8})(\\.(0|[1-9]\\d{0,8})){2}");
  private static final Pattern SHA256 = Pattern.compile("[0-9a-fA-F]{64}");

  /**
   * @param panel the origin of {@code panel_url}
   * @throws UpgradeException why the offer is not taken
   */
  static UpgradePackage of(UpgradeMessages.Offer offer, Origin panel) {
    if (!isVersion(offer.version())) {
      throw new UpgradeException("the version offered is not vX.Y.Z");
    }
    if (!SHA256.matcher(offer.sha256()).matches()) {
      throw new UpgradeException("the offer has no SHA-256");
    }
    if (offer.size().isPresent()
        && (offer.size().getAsLong() <= 0 || offer.size().getAsLong() > MAX_DOWNLOAD)) {
      throw new UpgradeException("the size offered is not between 1 byte and 64 MiB");
    }
    return new UpgradePackage(
        offer.version(),
        sameOrigin(offer.url(), panel),
        offer.sha256().toLowerCase(Locale.ROOT),
        offer.gzip(),
        offer.size());
  }

  static boolean isVersion(String text) {
    return VERSION.matcher(text).matches();
  }

  private static URI sameOrigin(String text, Origin panel) {
    URI url;
    Origin origin;
    try {
      url = new URI(text);
      origin = Origin.of(url);
    } catch (URISyntaxException | IllegalArgumentException unusable) {
      throw new UpgradeException("the URL offered cannot be used: " + reason(unusable));
    }
    if (!origin.equals(panel)) {
      throw new UpgradeException("the URL offered leads away from the panel");
    }
    return url;
  }

  /** A syntax error's message would quote the URL, which is not ours to repeat. */
  private static String reason(Exception unusable) {
    return unusable instanceof URISyntaxException ? "it is no URL" : unusable.getMessage();
  }
}
