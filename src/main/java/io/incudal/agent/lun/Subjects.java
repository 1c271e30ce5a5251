package io.incudal.agent.lun;

import io.incudal.agent.image.ImageFile;
import io.incudal.agent.image.ImageName;
import io.incudal.agent.image.ImageStore;
import io.incudal.agent.target.Iqn;
import io.vertx.core.Future;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;

/** Finds what a deletion is about, and holds the turns of its files meanwhile. */
final class Subjects {
  /** A target's files change only when others change the target. */
  private static final int TRIES = 4;

  private final Exports exports;
  private final ImageStore images;
  private final ImagePaths paths;
  private final Names names;

  Subjects(Exports exports, ImageStore images, ImagePaths paths, Names names) {
    this.exports = exports;
    this.images = images;
    this.paths = paths;
    this.names = names;
  }

  /**
   * Runs work in the turns of all files that it is about. Which these are only a listing tells, and
   * what it tells is to be trusted only while their turns are held: so turns are taken on a guess,
   * and the listing says whether it was right.
   */
  <R> Future<R> inTurn(Turns turns, Iqn iqn, Function<Subject, Future<R>> work) {
    return attempt(turns, iqn, names.foldedFilesOf(iqn), TRIES, work);
  }
}
