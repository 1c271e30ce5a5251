package io.incudal.agent.image;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.incudal.agent.bus.AgentException;
import io.incudal.agent.bus.ErrorCode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ImageDirectoryTest {
  private static final ImageName DISK = ImageName.parse("a.img");

  @TempDir Path temp;
  private Path path;
  private ImageDirectory directory;

  @BeforeEach
  void makeDirectory() throws IOException {
    path = Files.createDirectory(temp.resolve("images"));
    directory = new ImageDirectory(path);
  }

  @Test
  void findsARegularFile() throws IOException {
    Files.write(path.resolve("a.img"), new byte[1024]);
    ImageFile found = directory.find(DISK).orElseThrow();
    assertEquals(1024, found.size());
    assertEquals(path.resolve("a.img"), found.path());
    assertTrue(found.wholeBlocks());
  }

  @Test
  void findsNeitherSymbolicLinksNorDirectories() throws IOException { // B57
    Path outside = Files.createFile(temp.resolve("outside.img"));
    Files.createSymbolicLink(path.resolve("a.img"), outside);
    Files.createDirectory(path.resolve("b.img"));
    assertTrue(directory.find(DISK).isEmpty());
    assertTrue(directory.find(ImageName.parse("b.img")).isEmpty());
  }

  @Test
  void saysThatTheDirectoryIsMissingRatherThanTheFile() throws IOException {
    Files.delete(path);
    var failure = assertThrows(NoSuchFileException.class, () -> directory.find(DISK));
    assertEquals(
        "looking for 'a.img' failed: the image directory is not there; mount or create it",
        FileFailures.translate(failure, "looking for 'a.img'").getMessage());
  }

  @Test
  void findsNamesThatDifferInCaseOnlyOfWhateverKind() throws IOException { // B21
    assertTrue(directory.findSameFolded(DISK).isEmpty());
    Files.createDirectory(path.resolve("A.Img"));
    assertEquals(Optional.of("A.Img"), directory.findSameFolded(DISK).map(ImageName::value));
    Files.createSymbolicLink(path.resolve("a.img"), temp.resolve("nowhere"));
    assertEquals(Optional.of("a.img"), directory.findSameFolded(DISK).map(ImageName::value));
  }

  @Test
  void listsRegularVisibleFilesInNameOrder() throws IOException { // B57
    for (String name : List.of("b.img", "a.img", "C.ISO", ".hidden.img", "notes.txt")) {
      Files.createFile(path.resolve(name));
    }
    Files.createDirectory(path.resolve("dir.img"));
    Files.createSymbolicLink(path.resolve("link.img"), path.resolve("a.img"));
    assertEquals(
        List.of("C.ISO", "a.img", "b.img"),
        directory.images(name -> name.isDisk() || name.isIso()).stream()
            .map(file -> file.name().value())
            .toList());
  }

  @Test
  void listsFilesWhoseNamesNoClientCouldSend() throws IOException { // B05
    Files.createFile(path.resolve("a\nb.img"));
    assertEquals(1, directory.images(ImageName::isDisk).size());
  }

  @Test
  void removesAFileAndIsContentWhenItIsGone() throws IOException {
    Files.createFile(path.resolve("a.img"));
    directory.remove(DISK);
    assertFalse(Files.exists(path.resolve("a.img")));
    directory.remove(DISK);
  }

  @Test
  void refusesToRemoveWhatIsNoRegularFile() throws IOException { // B57
    Path outside = Files.createFile(temp.resolve("outside.img"));
    Path link = Files.createSymbolicLink(path.resolve("a.img"), outside);
    var failure = assertThrows(AgentException.class, () -> directory.remove(DISK));
    assertEquals(ErrorCode.IO_ERROR, failure.code());
    assertTrue(Files.isSymbolicLink(link));
    assertTrue(Files.exists(outside));
  }

  @Test
  void keepsIqnsWithAFile() throws IOException {
    Files.createFile(path.resolve("a.img"));
    directory.changeIqns(DISK, known -> List.of("iqn.x:1", "iqn.x:2"));
    assertEquals(List.of("iqn.x:1", "iqn.x:2"), directory.find(DISK).orElseThrow().iqns());
    directory.changeIqns(DISK, known -> known.subList(1, 2));
    assertEquals(List.of("iqn.x:2"), directory.find(DISK).orElseThrow().iqns());
    directory.changeIqns(DISK, known -> List.of());
    assertEquals(List.of(), directory.find(DISK).orElseThrow().iqns());
  }

  @Test
  void changesTheIqnsOfNoMissingFile() throws IOException {
    directory.changeIqns(DISK, known -> List.of("iqn.x:1"));
    assertFalse(Files.exists(path.resolve("a.img")));
  }
}
