package io.incudal.agent.bus;

import java.util.Locale;

/**
 * Every way in which a request can fail: the stable word that clients see as {@code code}, the HTTP
 * status, and the title of the problem document. The only place where HTTP numbers stand.
 */
public enum ErrorCode {
  // The request itself.
  MALFORMED_REQUEST(400, "The request is not valid HTTP"),
  URI_TOO_LONG(414, "The request line is too long"),
  HEADERS_TOO_LARGE(431, "The headers are too large"),
  INVALID_BODY(400, "The body is not a JSON object"),
  INVALID_FIELD(400, "A member has the wrong type"),
  MISSING_FIELD(400, "A member is missing"),
  INVALID_PARAMETER(400, "A query parameter is not valid"),
  IQN_BASE_MISMATCH(400, "The IQN is not under this agent's base"),
  INVALID_IQN(400, "The IQN is not valid"),
  INVALID_FILENAME(400, "The file name is not valid"),
  INVALID_SIZE(400, "The size is not valid"),
  INVALID_MASTER(400, "The master image cannot back a disk"),
  CD_UNSUPPORTED(400, "The back end has no virtual CD"),
  UNAUTHORIZED(401, "Unauthorized"),
  INSUFFICIENT_SCOPE(403, "The token lacks a scope"),
  NOT_FOUND(404, "No such path"),
  METHOD_NOT_ALLOWED(405, "The path does not know this method"),
  BODY_TOO_LARGE(413, "The body is too large"),
  UNSUPPORTED_MEDIA_TYPE(415, "The body is not JSON"),
  // The state of the node.
  MASTER_NOT_FOUND(404, "The master image does not exist"),
  ISO_NOT_FOUND(404, "The ISO image does not exist"),
  TARGET_NOT_FOUND(404, "The target does not exist"),
  TARGET_EXISTS(409, "The target exists"),
  BACKING_EXISTS(409, "The backing file exists"),
  TARGET_IN_USE(409, "An initiator is logged in"),
  BACKING_IN_USE(409, "Another target uses the backing file"),
  BACKING_PROTECTED(409, "The backing file may not be removed"),
  // The back end.
  CONTAINER_UNAVAILABLE(503, "The iSCSI container is not running"),
  DOCKER_UNAVAILABLE(503, "The Docker engine cannot be reached"),
  BACKEND_UNAVAILABLE(503, "The target daemon does not answer"),
  RECOVERING(503, "The targets are being restored"),
  COMMAND_FAILED(500, "A command of the back end failed"),
  COMMAND_TIMEOUT(500, "A command of the back end ran past its limit"),
  // The image directory and the audit log.
  NO_SPACE(507, "No space is left"),
  IO_ERROR(500, "A file operation failed"),
  AUDIT_UNAVAILABLE(503, "The audit log cannot be written"),
  AUDIT_FAILED(500, "The audit log could not be written; what was done is undone"),
  // The agent.
  OVERLOADED(503, "Too many operations are waiting"),
  STOPPING(503, "The agent is stopping"),
  TIMEOUT(504, "The operation is still running"),
  NOT_READY(503, "The agent is not ready"),
  INTERNAL(500, "Internal error");

  private final int status;
  private final String title;

  ErrorCode(int status, String title) {
    this.status = status;
    this.title = title;
  }

  public int status() {
    return status;
  }

  public String title() {
    return title;
  }

  /** The stable snake_case word of the contract, such as {@code target_exists}. */
  public String word() {
    return name().toLowerCase(Locale.ROOT);
  }
}
