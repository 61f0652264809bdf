internal import Foundation

/// The files, folders and links that the system goes through to open a path, in their order.
///
/// Whoever can replace one of them chooses what is opened. The target of a link may lead through further links, in folders that neither the
/// path nor the result of `realpath` names.
package struct PathWalk: Sendable {
  /// A file, folder or link on the way.
  package struct Place: Sendable {
    package let path: String
    /// The number of the user to whom it belongs.
    package let owner: UInt32
    /// Whether it is a link, which has no permissions of its own.
    package let isLink: Bool
    package let isFolder: Bool
    /// The permissions, as numbers of `chmod`.
    package let mode: UInt32
    /// Whether it is the folder of the file itself, or of a link in the file's place.
    package let isLastFolder: Bool
  }

  package let places: [Place]

  /// As many links as Linux follows.
  private static let mostLinks = 40

  /// - Parameter path: An absolute path.
  /// - Throws: A `POSIXError` for a place that is missing or cannot be examined, and for too many links.
  package init(_ path: String) throws {
    var places = [try Self.place("/")]
    var (folder, links) = ([String](), 0)
    // The next name is the last one.
    var rest = Self.names(path)
    while let name = rest.popLast() {
      guard name != ".." else {
        _ = folder.popLast()
        continue
      }
      if rest.isEmpty {
        places.append(try Self.place("/" + folder.joined(separator: "/"), isLastFolder: true))
      }
      let place = try Self.place("/" + (folder + [name]).joined(separator: "/"))
      places.append(place)
      guard place.isLink else {
        folder.append(name)
        continue
      }
      links += 1
      guard links <= Self.mostLinks else { throw POSIXError(.ELOOP) }
      let target = try FileManager.default.destinationOfSymbolicLink(atPath: place.path)
      if target.utf8.first == UInt8(ascii: "/") { folder = [] }
      rest += Self.names(target)
    }
    self.places = places
  }

  /// The names in a path, the last first. A combining mark after a slash begins a name, as for the system; to Swift both are one character.
  private static func names(_ path: String) -> [String] {
    path.unicodeScalars.split(separator: "/").map { String($0) }.filter { $0 != "." }.reversed()
  }

  private static func place(_ path: String, isLastFolder: Bool = false) throws -> Place {
    var status = stat()
    guard lstat(path, &status) == 0 else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
    let kind = status.st_mode & S_IFMT
    return Place(
      path: path, owner: status.st_uid, isLink: kind == S_IFLNK, isFolder: kind == S_IFDIR,
      mode: UInt32(status.st_mode & 0o7777), isLastFolder: isLastFolder)
  }
}
