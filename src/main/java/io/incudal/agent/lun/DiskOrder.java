package io.incudal.agent.lun;

import io.incudal.agent.bus.AgentException;
import io.incudal.agent.bus.ErrorCode;
import io.incudal.agent.image.DiskSize;
import io.incudal.agent.image.ImageName;
import io.incudal.agent.target.Iqn;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * A disk that was asked for, in types.
 *
 * @param file its name to be
 * @param recorded the IQN to be kept with the file, when its name makes another one
 * @param master to be cloned; when empty, the disk is made of {@code bytes}
 */
record DiskOrder(
    Iqn iqn,
    ImageName file,
    Optional<String> recorded,
    Optional<ImageName> master,
    OptionalLong bytes) {

  /** Refuses in the order of the contract: types, IQN, then names and size. */
  static DiskOrder parse(Sent sent, Names names, long maxBytes) {
    Optional<String> filename = sent.text("filename");
    Optional<String> master = sent.text("master");
    Optional<String> size = sent.text("size");
    Iqn iqn = names.iqn(sent);
    ImageName file = filename.map(names::file).orElseGet(() -> names.diskOf(iqn));
    if (!file.isDisk()) {
      throw new AgentException(ErrorCode.INVALID_FILENAME, "the file name has to end in .img");
    }
    if (master.isEmpty() && size.isEmpty()) {
      throw new AgentException(
          ErrorCode.MISSING_FIELD, "give a 'master' to clone, or a 'size' for an empty disk");
    }
    boolean named = names.ofFileIfValid(file).equals(Optional.of(iqn));
    return new DiskOrder(
        iqn,
        file,
        named ? Optional.empty() : Optional.of(iqn.value()),
        master.map(names::file),
        master.isPresent()
            ? OptionalLong.empty()
            : OptionalLong.of(DiskSize.parse(size.orElseThrow(), maxBytes).bytes()));
  }
}
