internal import Foundation

/// A file that decides who gets in: root's, or that of whoever runs this, and nobody else writes to it.
package enum RootFile {
  /// The lines, without remarks; `nil` when there is no file.
  ///
  /// - Parameters:
  ///   - bytes: the longest file that is read.
  ///   - isSecret: Others than its owner must not be able to read it either.
  /// - Throws: ``FileStorageError/unreadable(path:reason:)`` when others could have written it, or it is too long.
  package static func lines(of path: String, atMost bytes: Int, isSecret: Bool = false) throws -> [String]? {
    func refused(_ reason: String) -> FileStorageError { .unreadable(path: path, reason: reason) }
    let descriptor = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
    guard descriptor >= 0 else {
      guard errno != ENOENT else { return nil }
      throw refused(String(cString: strerror(errno)))
    }
    defer { close(descriptor) }
    var status = stat()
    guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG,
      [0, geteuid()].contains(status.st_uid), status.st_mode & 0o022 == 0
    else { throw refused("others than root could have written it") }
    guard !isSecret || status.st_mode & 0o044 == 0 else {
      throw refused("others can read its secret; its mode must be 600")
    }
    guard status.st_size <= bytes else { throw refused("it is longer than \(bytes) bytes") }
    let content = try FileHandle(fileDescriptor: descriptor).read(upToCount: bytes) ?? Data()
    return String(decoding: content, as: UTF8.self).split(separator: "\n")
      .filter { !$0.hasPrefix("#") }.map(String.init)
  }
}
