package import Foundation

/// The current file of events and the full files beside it, which end with `.1`, `.2` and so on, the newest first.
package enum EventFiles {
  /// Opens all files that exist. A rotation meanwhile hides none of them, and none is there twice.
  ///
  /// - Returns: the newest first; empty when there is none.
  /// - Throws: ``SecurityEventError`` when one of them cannot be read.
  package static func open(at path: String) throws -> [(number: Int, file: FileHandle)] {
    var opened: [(number: Int, file: FileHandle)] = []
    // A rotation gives the older files higher numbers: going up meets each that is not open yet, and some that are.
    for number in numbers(at: path) {
      let name = number == 0 ? path : "\(path).\(number)"
      let descriptor = Foundation.open(name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
      guard descriptor >= 0 else {
        guard errno == ENOENT else { throw unreadable(name) }
        continue
      }
      let file = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
      if !opened.contains(where: { isSame($0.file, file) }) { opened.append((number, file)) }
    }
    return opened
  }

  /// The numbers that files have or may get by a rotation, ascending. The current file is 0.
  private static func numbers(at path: String) -> [Int] {
    let current = URL(filePath: path)
    let prefix = Array("\(current.lastPathComponent).".utf8)
    let folder = current.deletingLastPathComponent().path(percentEncoded: false)
    let full = ((try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []).compactMap { name in
      name.utf8.starts(with: prefix)
        ? UInt16(String(decoding: name.utf8.dropFirst(prefix.count), as: UTF8.self)) : nil
    }
    return Set([0, 1] + full.flatMap { [Int($0), Int($0) + 1] }).sorted()
  }

  static func isSame(_ one: FileHandle, _ other: FileHandle) -> Bool {
    var (first, second) = (stat(), stat())
    return fstat(one.fileDescriptor, &first) == 0 && fstat(other.fileDescriptor, &second) == 0
      && first.st_ino == second.st_ino && first.st_dev == second.st_dev
  }

  /// The error with the reason of the last system call.
  static func unreadable(_ path: String) -> SecurityEventError {
    SecurityEventError("\(path) cannot be read: \(String(cString: strerror(errno))).")
  }
}
