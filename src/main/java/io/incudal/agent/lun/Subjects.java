package io.incudal.agent.lun;

import io.incudal.agent.bus.AgentException;
import io.incudal.agent.bus.ErrorCode;
import io.incudal.agent.image.ImageFile;
import io.incudal.agent.image.ImageName;
import io.incudal.agent.image.ImageStore;
import io.incudal.agent.target.Iqn;
import io.incudal.agent.target.Target;
import io.vertx.core.Future;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;

/**
 * Finds what a deletion is about, and takes the turns of its files.
 *
 * <p>Which files these are only a listing tells, and what it tells of their users is to be trusted
 * only while their turns are held. So turns are taken on a guess, and the listing says whether it
 * was right.
 */
final class Subjects {
  /** A target's files change only when somebody else changes the target. */
  private static final int TRIES = 4;

  private final Exports exports;
  private final ImageStore images;
  private final ImagePaths paths;
  private final Names names;

  /** What the newest listing says; deletions that share the listing share this as well. */
  private UsedFiles used;

  private List<Target> listed;

  Subjects(Exports exports, ImageStore images, ImagePaths paths, Names names) {
    this.exports = exports;
    this.images = images;
    this.paths = paths;
    this.names = names;
  }

  /** Runs work in the turns of all files that it is about. */
  <R> Future<R> inTurn(Turns turns, Iqn iqn, Function<Subject, Future<R>> work) {
    return attempt(turns, new Guess(iqn, names.foldedFilesOf(iqn), TRIES), work);
  }

  private record Guess(Iqn iqn, List<String> files, int tries) {
    Guess better(List<String> found) {
      return new Guess(iqn, found, tries - 1);
    }
  }

  /** A result, or the files whose turns would have had to be held. */
  private record Attempt<R>(R result, List<String> missing) {}

  private <R> Future<R> attempt(Turns turns, Guess guess, Function<Subject, Future<R>> work) {
    return turns
        .ofFiles(guess.files(), () -> find(guess.iqn()).compose(found -> act(guess, found, work)))
        .compose(
            attempt -> {
              if (attempt.missing().isEmpty()) {
                return Future.succeededFuture(attempt.result());
              }
              return guess.tries() > 1
                  ? attempt(turns, guess.better(attempt.missing()), work)
                  : Future.failedFuture(
                      new AgentException(
                          ErrorCode.BACKING_IN_USE, "the target's disks keep changing; try again"));
            });
  }

  private static <R> Future<Attempt<R>> act(
      Guess guess, Subject found, Function<Subject, Future<R>> work) {
    return guess.files().containsAll(found.folded())
        ? work.apply(found).map(result -> new Attempt<>(result, List.of()))
        : Future.succeededFuture(new Attempt<>(null, found.folded()));
  }

  private Future<Subject> find(Iqn iqn) {
    return exports.listForMany().compose(targets -> of(iqn, usedIn(targets)));
  }

  private UsedFiles usedIn(List<Target> targets) {
    if (targets != listed) {
      listed = targets;
      used = new UsedFiles(paths.all(), targets);
    }
    return used;
  }

  private Future<Subject> of(Iqn iqn, UsedFiles used) {
    Optional<Target> target = used.target(iqn);
    return target.isPresent()
        ? Future.succeededFuture(new Subject(iqn, target, Optional.empty(), used))
        : leftOver(iqn).map(file -> new Subject(iqn, target, file, used));
  }

  /** The file that a scan would export under this name: by what is recorded, or by its own name. */
  private Future<Optional<ImageFile>> leftOver(Iqn iqn) {
    return images
        .findByRecordedIqn(iqn.value())
        .map(recorded -> recorded.stream().filter(file -> names.exports(file.name())).findFirst())
        .compose(
            recorded ->
                recorded.isPresent()
                    ? Future.succeededFuture(recorded)
                    : named(names.foldedFilesOf(iqn)));
  }

  private Future<Optional<ImageFile>> named(List<String> candidates) {
    if (candidates.isEmpty()) {
      return Future.succeededFuture(Optional.empty());
    }
    return images
        .findSameFolded(new ImageName(candidates.get(0)))
        .compose(
            name ->
                name.isEmpty()
                    ? Future.<Optional<ImageFile>>succeededFuture(Optional.empty())
                    : images.find(name.get()))
        .map(file -> file.filter(this::isItsOwn))
        .compose(
            file ->
                file.isPresent()
                    ? Future.succeededFuture(file)
                    : named(candidates.subList(1, candidates.size())));
  }

  /** A file with something recorded belongs to that, not to its name. */
  private boolean isItsOwn(ImageFile file) {
    return file.iqns().isEmpty() && names.exports(file.name());
  }
}
