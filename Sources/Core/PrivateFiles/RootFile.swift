internal import Foundation

/// A file that decides who gets in. It belongs to root or to this process's user, and nobody else may write to it or to a folder above
/// it.
package struct RootFile: Sendable {
  package let bytes: [UInt8]
  private let path: String
  private let isReadable: Bool

  /// - Parameters:
  ///   - bytes: The size of the largest file that is read.
  ///   - followsLinks: Whether the file or a folder above it may be a link. All that the links lead through must be as safe.
  /// - Returns: `nil` when there is no file.
  /// - Throws: ``FileStorageError/unreadable(path:reason:)`` when others could have written it, or it is too long.
  package init?(_ path: String, atMost bytes: Int, followsLinks: Bool = false) throws {
    func refused(_ reason: String) -> FileStorageError { .unreadable(path: path, reason: reason) }
    let descriptor = open(path, O_RDONLY | (followsLinks ? 0 : O_NOFOLLOW) | O_NONBLOCK | O_CLOEXEC)
    guard descriptor >= 0 else {
      guard errno != ENOENT else { return nil }
      throw refused(String(cString: strerror(errno)))
    }
    defer { close(descriptor) }
    var status = stat()
    guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG, Self.isOwn(status.st_uid),
      status.st_mode & 0o022 == 0
    else { throw refused("users other than root could have written it") }
    let isAbsolute = path.utf8.first == UInt8(ascii: "/")
    let place = isAbsolute ? path : FileManager.default.currentDirectoryPath + "/" + path
    guard Self.isOnlyRoots(place, followsLinks) else {
      throw refused("users other than root could change a folder above it, or it is behind a link")
    }
    guard status.st_size <= bytes else { throw refused("it is longer than \(bytes) bytes") }
    self.bytes = Array(try FileHandle(fileDescriptor: descriptor).read(upToCount: bytes) ?? Data())
    self.path = path
    isReadable = status.st_mode & 0o044 != 0
  }

  /// The lines without comments and empty lines.
  package var lines: [String] { allLines.filter { !$0.isEmpty && !$0.hasPrefix("#") } }

  /// All lines, without their line ends.
  package var allLines: [String] {
    var lines = String(decoding: bytes, as: UTF8.self)
      .split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    if lines.last?.isEmpty == true { lines.removeLast() }
    return lines
  }

  private static func isOwn(_ user: UInt32) -> Bool { [0, geteuid()].contains(user) }

  /// Whether nobody else can put another file at the absolute path `place`. The PAM module checks folders the same way. A sticky folder
  /// such as `/tmp` may be on the path, because nobody there can replace root's files, but it may not be the last one.
  private static func isOnlyRoots(_ place: String, _ followsLinks: Bool) -> Bool {
    guard let walk = try? PathWalk(place) else { return false }
    return walk.places.dropFirst().allSatisfy { place in
      guard isOwn(place.owner) else { return false }
      guard !place.isLink else { return followsLinks }
      let isSticky = place.isFolder && place.mode & 0o1000 != 0
      return place.mode & 0o022 == 0 || isSticky && !place.isLastFolder
    }
  }

  /// - Throws: ``FileStorageError/unreadable(path:reason:)`` when users other than its owner could read it.
  package func requireSecrecy() throws(FileStorageError) {
    guard !isReadable else {
      throw .unreadable(path: path, reason: "others can read its secret; its mode must be 600")
    }
  }
}
