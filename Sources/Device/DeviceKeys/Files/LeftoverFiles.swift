package import Foundation

/// Temporary files of key files and of their counts of wrong PINs, left behind by a process that crashed while it wrote one.
///
/// Each key has a tag of its own, so nobody would ever write the same file again and clean up on the way.
package enum LeftoverFiles {
  /// Removes those in `folder` that nobody is writing to. What cannot be removed waits for the next time.
  package static func remove(_ files: KeyFile, in folder: URL) {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
    let endings = [".\(files.suffix).tmp", ".\(files.suffix).tries.tmp"]
    for name in names where name.hasPrefix(".") && endings.contains(where: name.hasSuffix) {
      remove(folder.appendingPathComponent(name).path)
    }
  }

  private static func remove(_ path: String) {
    let descriptor = open(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
    guard descriptor >= 0 else { return }
    defer { close(descriptor) }
    // The writer holds this lock until its file is in place; the kernel lets go of it when the writer dies.
    guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else { return }
    // Between our opening and locking it, the writer may have moved the file to its place: then the name is gone or new.
    var opened = stat()
    var named = stat()
    guard fstat(descriptor, &opened) == 0, lstat(path, &named) == 0, opened.st_ino == named.st_ino,
      opened.st_dev == named.st_dev
    else { return }
    unlink(path)
  }
}
