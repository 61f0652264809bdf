internal import Foundation

/// A file that decides who gets in: root's, or that of whoever runs this, and nobody else writes to it.
package struct RootFile: Sendable {
  /// Without remarks.
  package let lines: [String]
  private let path: String
  private let isReadable: Bool

  /// - Parameter bytes: the longest file that is read.
  /// - Returns: `nil` when there is no file.
  /// - Throws: ``FileStorageError/unreadable(path:reason:)`` when others could have written it, or it is too long.
  package init?(_ path: String, atMost bytes: Int) throws {
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
    guard status.st_size <= bytes else { throw refused("it is longer than \(bytes) bytes") }
    let content = try FileHandle(fileDescriptor: descriptor).read(upToCount: bytes) ?? Data()
    lines = String(decoding: content, as: UTF8.self).split(separator: "\n")
      .filter { !$0.hasPrefix("#") }.map(String.init)
    self.path = path
    isReadable = status.st_mode & 0o044 != 0
  }

  /// - Throws: ``FileStorageError/unreadable(path:reason:)`` when others than its owner could read it.
  package func requireSecrecy() throws(FileStorageError) {
    guard !isReadable else {
      throw .unreadable(path: path, reason: "others can read its secret; its mode must be 600")
    }
  }
}
