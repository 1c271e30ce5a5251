package io.incudal.agent.upgrade;

/**
 * An upgrade that goes no further, and why; the message reaches the log and the panel.
 *
 * <p>Thrown by the steps, which run on a worker thread, and never crosses the bus.
 */
final class UpgradeException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final boolean packageFault;

  UpgradeException(String message) {
    this(message, null);
  }

  UpgradeException(String message, Throwable cause) {
    this(message, cause, false);
  }

  private UpgradeException(String message, Throwable cause, boolean packageFault) {
    super(message, cause);
    this.packageFault = packageFault;
  }

  /** The package itself is bad, so that trying it again soon would end the same way. */
  static UpgradeException ofPackage(String message) {
    return new UpgradeException(message, null, true);
  }

  /** What a failure of the disk or the network says, in one line, without its wrappings. */
  static String words(Throwable failure) {
    Throwable root = failure;
    while (root.getCause() != null) {
      root = root.getCause();
    }
    String message = String.valueOf(root.getMessage()).lines().findFirst().orElse("");
    return root.getClass().getSimpleName() + ": " + message;
  }

  /** Whether a failure is the package's own, and not that of the disk or the network. */
  static boolean blamesPackage(Throwable failure) {
    return failure instanceof UpgradeException known && known.packageFault();
  }

  boolean packageFault() {
    return packageFault;
  }
}
