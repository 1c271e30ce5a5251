package io.incudal.agent.lab;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The least iSCSI initiator (RFC 7143) that a test needs: it discovers, logs in, and keeps sessions
 * open for as long as a test wants a target to be in use. Nothing of this machine's kernel is
 * involved.
 */
public final class Initiator {
  /** The name that targets see. */
  public static final String NAME = "iqn.2026-01.io.incudal.test:initiator";

  private final InetSocketAddress portal;

  public Initiator(InetSocketAddress portal) {
    this.portal = portal;
  }

  /** Names of all targets that the portal offers. */
  public List<String> discover() throws IOException {
    try (IscsiSession session = IscsiSession.open(portal, keys("Discovery"))) {
      List<String> names = new ArrayList<>();
      for (String pair : session.text("SendTargets=All")) {
        if (pair.startsWith("TargetName=")) {
          names.add(pair.substring("TargetName=".length()));
        }
      }
      return names;
    } catch (LoginRefused e) {
      // A tgtd that has no target at all hangs up on everybody.
      if (e.status() == LoginRefused.CLOSED) {
        return List.of();
      }
      throw e;
    }
  }

  /** Logs in; fails with {@link LoginRefused} when the target is not there or lets nobody in. */
  public IscsiSession login(String iqn) throws IOException {
    Map<String, String> keys = keys("Normal");
    keys.put("TargetName", iqn);
    return IscsiSession.open(portal, keys);
  }

  private static Map<String, String> keys(String sessionType) {
    Map<String, String> keys = new LinkedHashMap<>();
    keys.put("InitiatorName", NAME);
    keys.put("SessionType", sessionType);
    keys.put("HeaderDigest", "None");
    keys.put("DataDigest", "None");
    keys.put("MaxRecvDataSegmentLength", "262144");
    keys.put("ImmediateData", "Yes");
    return keys;
  }

  static byte[] encode(Map<String, String> keys) {
    StringBuilder text = new StringBuilder();
    keys.forEach((key, value) -> text.append(key).append('=').append(value).append('\0'));
    return text.toString().getBytes(StandardCharsets.UTF_8);
  }

  /** The target's answer to a login it did not accept. */
  public static final class LoginRefused extends IOException {
    /** Instead of a status: the portal hung up. */
    static final int CLOSED = 0;

    private static final long serialVersionUID = 1L;
    private final int status;

    LoginRefused(int status) {
      super(String.format("login refused, status 0x%04x", status));
      this.status = status;
    }

    /** Class and detail, such as 0x0203 (not found) or 0x0202 (forbidden); 0: it hung up. */
    public int status() {
      return status;
    }
  }
}
