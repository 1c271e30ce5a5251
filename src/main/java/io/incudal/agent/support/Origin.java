package io.incudal.agent.support;

import java.net.URI;
import java.util.Locale;

/**
 * Scheme, host and port of a URL, in one spelling, so that two are the same origin when they are
 * equal.
 *
 * @param host in lower case; an IPv6 address without brackets
 */
public record Origin(String scheme, String host, int port) {
  /**
   * @throws IllegalArgumentException when it is no absolute http or https URL with a host, or holds
   *     user information, which can make one host look like another
   */
  public static Origin of(URI url) {
    if (url.getScheme() == null || url.getHost() == null) {
      throw new IllegalArgumentException("the URL is not absolute");
    }
    if (url.getRawUserInfo() != null) {
      throw new IllegalArgumentException("the URL holds user information");
    }
    String scheme = url.getScheme().toLowerCase(Locale.ROOT);
    int standard =
        switch (scheme) {
          case "https" -> 443;
          case "http" -> 80;
          default -> throw new IllegalArgumentException("the URL is neither https nor http");
        };
    String host = url.getHost().toLowerCase(Locale.ROOT);
    if (host.startsWith("[")) {
      host = host.substring(1, host.length() - 1);
    }
    return new Origin(scheme, host, url.getPort() == -1 ? standard : url.getPort());
  }

  boolean secure() {
    return scheme.equals("https");
  }
}
