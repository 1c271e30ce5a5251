package io.incudal.agent.lun;

import io.incudal.agent.bus.AgentException;
import io.incudal.agent.bus.ErrorCode;
import io.incudal.agent.image.ImageName;
import io.incudal.agent.target.Iqn;
import io.incudal.agent.target.TargetBackend;
import java.util.List;
import java.util.Optional;

/** How targets and files are called, and which name makes which. */
final class Names {
  private static final int EXTENSION = ".img".length();

  private final String base;
  private final boolean cds;
  private final TargetBackend backend;

  /**
   * @param base lower-cased, without a trailing colon
   * @param cds whether ISO images can be exported
   */
  Names(String base, boolean cds, TargetBackend backend) {
    this.base = base;
    this.cds = cds;
    this.backend = backend;
  }

  /** Whether files of this name are for export at all. */
  boolean exports(ImageName name) {
    return name.isDisk() || (cds && name.isIso());
  }

  /** The member {@code iqn}, which has to be there. */
  Iqn iqn(Sent sent) {
    return iqn(required(sent, "iqn"));
  }

  Iqn iqn(String sent) {
    return Iqn.parse(base, sent);
  }

  /** A file name that the back end's tool can carry. */
  ImageName file(String sent) {
    ImageName name = ImageName.parse(sent);
    backend
        .refusal(sent)
        .ifPresent(
            why -> {
              throw new AgentException(ErrorCode.INVALID_FILENAME, "the file name " + why);
            });
    return name;
  }

  /** The file of a disk whose caller named none. */
  ImageName diskOf(Iqn iqn) {
    return file(iqn.suffix(base) + ".img");
  }

  /** The target under which a scan exports a file with nothing recorded. */
  Iqn ofFile(ImageName name) {
    String file = name.value();
    String suffix = name.isDisk() ? file.substring(0, file.length() - EXTENSION) : file;
    return Iqn.parse(base, base + ":" + suffix);
  }

  Optional<Iqn> ofFileIfValid(ImageName name) {
    try {
      return Optional.of(ofFile(name));
    } catch (AgentException invalid) {
      return Optional.empty();
    }
  }

  /** The folded names of the files that a target has when nothing else was said. */
  List<String> foldedFilesOf(Iqn iqn) {
    String suffix = iqn.suffix(base);
    return List.of(suffix + ".img", suffix);
  }

  static String required(Sent sent, String member) {
    return sent.text(member)
        .orElseThrow(
            () ->
                new AgentException(
                    ErrorCode.MISSING_FIELD, "'" + member + "' is missing or empty"));
  }
}
